/** Sample drawings as SVG. The project owns every shape. */

const svg = (width: number, height: number, inner: string) =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${inner}</svg>`)

const gradient = (id: string, from: string, to: string, across = true) =>
  `<linearGradient id="${id}" x1="0" y1="0" x2="${across ? 1 : 0}" y2="${across ? 0 : 1}">` +
  `<stop offset="0" stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient>`

/** Draws a mug on a plain gray background, like a product photo. */
export const product = (): Buffer =>
  svg(
    1200,
    1000,
    `<defs>${gradient('clay', '#c2552d', '#7d2d18')}${gradient('rim', '#e08a5b', '#a0492a')}
      <filter id="soft"><feGaussianBlur stdDeviation="14"/></filter></defs>
    <rect width="1200" height="1000" fill="#cfd6d8"/>
    <ellipse cx="590" cy="822" rx="285" ry="30" fill="#5c676b" opacity="0.55" filter="url(#soft)"/>
    <path d="M800 400 C1010 360 1010 690 770 680" fill="none" stroke="url(#clay)" stroke-width="58"/>
    <path d="M330 290 L372 770 Q376 826 440 826 L710 826 Q774 826 778 770 L820 290 Z" fill="url(#clay)"/>
    <ellipse cx="575" cy="290" rx="245" ry="58" fill="url(#rim)"/>
    <ellipse cx="575" cy="296" rx="218" ry="44" fill="#3b1a10"/>
    <ellipse cx="575" cy="310" rx="196" ry="30" fill="#6a3a1c"/>
    <path d="M400 400 L428 740" stroke="#f2b48f" stroke-width="22" stroke-linecap="round" opacity="0.55"/>
    <path d="M500 560 l75 -90 75 90 -75 90 z" fill="#f5dfc4"/>`,
  )

export const portrait = (): Buffer =>
  svg(
    1000,
    1300,
    `<defs>${gradient('wall', '#2f6f73', '#8fc0a9', false)}${gradient('coat', '#f0b429', '#c77d0a', false)}</defs>
    <rect width="1000" height="1300" fill="url(#wall)"/>
    <circle cx="790" cy="270" r="130" fill="#f7e3af" opacity="0.35"/>
    <path d="M120 1300 Q130 930 400 880 L600 880 Q870 930 880 1300 Z" fill="url(#coat)"/>
    <path d="M410 740 H590 V900 Q500 980 410 900 Z" fill="#c98a62"/>
    <ellipse cx="500" cy="580" rx="185" ry="230" fill="#e0a57c"/>
    <path d="M300 600 Q270 300 500 310 Q740 300 700 600 Q690 470 600 440 Q450 470 350 430 Q310 500 300 600 Z" fill="#3a2218"/>
    <ellipse cx="425" cy="575" rx="20" ry="24" fill="#2b1a12"/><ellipse cx="575" cy="575" rx="20" ry="24" fill="#2b1a12"/>
    <path d="M385 520 Q425 500 465 520 M535 520 Q575 500 615 520" stroke="#3a2218" stroke-width="12" fill="none"/>
    <path d="M500 590 Q480 660 510 665" stroke="#b9754d" stroke-width="10" fill="none"/>
    <path d="M430 715 Q500 770 570 715" stroke="#9c4534" stroke-width="14" fill="none" stroke-linecap="round"/>
    <circle cx="380" cy="670" r="34" fill="#e58d6f" opacity="0.45"/><circle cx="620" cy="670" r="34" fill="#e58d6f" opacity="0.45"/>`,
  )

/** Draws lines of text as bars with the lengths of words, because the sample scan needs no readable text. */
function writing(): string {
  const words = [90, 40, 130, 70, 110, 55, 150, 80, 60, 120]
  const bars: string[] = []
  for (let line = 0; line < 22; line += 1) {
    let x = 130
    for (let word = line; x < (line % 6 === 5 ? 480 : 1010); word += 1) {
      const width = words[(word * 7 + line) % words.length] ?? 80
      bars.push(`<rect x="${x}" y="${430 + 48 * line}" width="${width}" height="14" rx="5"/>`)
      x += width + 22
    }
  }
  return bars.join('')
}

/** Draws a letter from a home scanner: yellow paper, gray ink, darker toward an edge. */
export const scan = (): Buffer =>
  svg(
    1240,
    1754,
    `<defs>${gradient('paper', '#efe4c4', '#cbbb92')}</defs>
    <rect width="1240" height="1754" fill="url(#paper)"/>
    <g fill="#5c5142"><rect x="130" y="150" width="420" height="34" rx="8"/><rect x="130" y="215" width="260" height="18" rx="6"/>
    <rect x="820" y="150" width="250" height="18" rx="6"/><rect x="820" y="188" width="190" height="18" rx="6"/>
    <rect x="130" y="330" width="560" height="26" rx="8"/>${writing()}</g>
    <path d="M150 1600 q60 -90 110 -20 t100 -30 q30 60 90 -10 t120 10" stroke="#26386e" stroke-width="9" fill="none"/>
    <circle cx="980" cy="1580" r="88" fill="none" stroke="#a5372c" stroke-width="11"/>
    <rect x="912" y="1566" width="136" height="28" rx="6" fill="#a5372c"/>`,
  )

export const FRAMES = 20

/** Draws one frame of a ball that jumps over a hill while the sun moves across the sky. */
export function ball(frame: number): Buffer {
  const part = frame / FRAMES
  const high = Math.abs(Math.sin(part * 2 * Math.PI))
  return svg(
    480,
    320,
    `<defs>${gradient('sky', '#8fd0ee', '#fdf0cf', false)}${gradient('hill', '#5aa469', '#2c6e49', false)}</defs>
    <rect width="480" height="320" fill="url(#sky)"/>
    <circle cx="${Math.round(40 + 400 * part)}" cy="70" r="30" fill="#f9c74f"/>
    <path d="M0 240 Q120 190 240 230 T480 220 V320 H0 Z" fill="url(#hill)"/>
    <ellipse cx="240" cy="268" rx="${Math.round(44 - 22 * high)}" ry="7" fill="#1b4332" opacity="0.5"/>
    <circle cx="240" cy="${Math.round(228 - 120 * high)}" r="36" fill="#d62839"/>
    <circle cx="228" cy="${Math.round(214 - 120 * high)}" r="9" fill="#ffd6d6"/>`,
  )
}
