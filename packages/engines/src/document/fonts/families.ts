export type Family = 'sans' | 'serif' | 'fixed' | 'courier' | 'JP' | 'KR' | 'SC' | 'TC'

/** The font family of each character set (`wingdi.h`). */
const OF_CHARSET: Readonly<Record<number, Family>> = { 128: 'JP', 129: 'KR', 134: 'SC', 136: 'TC' }
const SYMBOL_CHARSET = 2

const FIXED_PITCH = 0x01
const ROMAN = 0x10

const NAMED: readonly (readonly [family: Family, names: RegExp])[] = [
  [
    'JP',
    /^(ms(p|ui)?(gothic|mincho)|meiryo|yu(gothic|mincho)|hira(gino|kaku|mincho|maru)|koz(min|gopr|go|mi)|heisei|ryumin|gothicbbb|ipa(ex|mj|p)?(gothic|mincho|m|g)|takao|osaka|biz?ud|notos(ans|erif)(cjk)?jp|sourcehan(sans|serif)jp|\x82l\x82r|\x83\x81\x83c\x83\x8a\x83i)/,
  ],
  [
    'KR',
    /^(malgun|batang|gulim|dotum|gungsuh|hy(sm|go|my|gt|he|po)|nanum|apple(gothic|myungjo|sdgothic)|un(batang|dotum)|notos(ans|erif)(cjk)?kr|sourcehan(sans|serif)k|\xb9\xd9\xc5\xc1|\xb1\xbc\xb8\xb2|\xb5\xb8\xbf\xf2|\xb8\xbc\xc0\xba)/,
  ],
  [
    'TC',
    /^(p?mingliu|msjh|microsoftjhenghei|dfkai|biaukai|msung|mhei|pingfang(tc|hk)|(li|apple)?lihei|lisong|st(heiti|song|kaiti)tc|notos(ans|erif)(cjk)?tc|sourcehan(sans|serif)t|\xb7s\xb2\xd3|\xb2\xd3\xa9\xfa|\xbc\xd0\xb7\xa2|\xb7l\xb3n)/,
  ],
  [
    'SC',
    /^(n?simsun|sim(hei|kai|fang|li|you)|fangsong|kaiti|dengxian|microsoftyahei|msyh|st(song|heiti|kaiti|fangsong|xihei|zhongsong)|pingfangsc|songti|heiti|hiraginosansgb|youyuan|lisu|fz[a-z]+(gbk?|jw)|adobe(song|heiti|kaiti|fangsong)|notos(ans|erif)(cjk)?sc|sourcehan(sans|serif)(cn|sc)|arialunicode|\xcb\xce\xcc\xe5|\xba\xda\xcc\xe5|\xbf\xac\xcc\xe5|\xb7\xc2\xcb\xce|\xd0\xc2\xcb\xce|\xce\xa2\xc8\xed)/,
  ],
  ['courier', /^courier/],
  [
    'fixed',
    /^(consolas|menlo|monaco|inconsolata|lucida(console|sanstypewriter)|andalemono|lettergothic|ocr|terminal|fixedsys|.*(mono|typewriter|sourcecode)([^a-z]|regular|bold|italic|oblique|ps|mt|$))/,
  ],
  [
    'serif',
    /^(times|georgia|cambria|garamond|bookantiqua|bookman|palatino|century(schoolbook|old|$)|newcentury|constantia|baskerville|bodoni|caslon|didot|minion|charter|utopia|rockwell|hoefler|perpetua|sylfaen|nimbusroman|(?!.*sansserif).*(serif|roman)([^a-z]|regular|bold|italic|mt|$))/,
  ],
]

/**
 * Matches the names of sans-serif fonts. If such a font contains only digits, PDFium wrongly reports it as monospaced.
 */
const SANS =
  /^(arial|helvetica|verdana|tahoma|calibri|segoe|trebuchet|candara|corbel|frutiger|univers|futura|gillsans|lucida(sans|grande)|myriad|opensans|roboto|lato|franklin|impact|centurygothic|optima|(microsoft|ms)sans|dejavusans|liberationsans|notosans|.*sansserif)/

/** Matches the names of fonts without letters. PDFium draws these fonts with its own symbol font. */
const SIGNS = /^(symbol|wingdings|webdings|zapfdingbats|dingbats|marlett)/

/**
 * Returns a name in lower case, without spaces and punctuation. Changes only ASCII, because other bytes belong to
 * multi-byte characters.
 */
const bare = (name: string) =>
  name.replaceAll(/[\s\-_,.*@]/g, '').replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

export function familyOf(name: string, charset: number, pitch: number): Family | undefined {
  const byCharset = OF_CHARSET[charset]
  if (byCharset !== undefined) return byCharset
  const known = bare(name)
  if (charset === SYMBOL_CHARSET || SIGNS.test(known)) return undefined
  const byName = NAMED.find(([, names]) => names.test(known))?.[0]
  if (byName !== undefined) return byName
  if (SANS.test(known)) return 'sans'
  return pitch & FIXED_PITCH ? 'fixed' : pitch & ROMAN ? 'serif' : 'sans'
}

/** Font names that PDFium reads as bold or italic from their endings. */
export const STYLED_NAMES: readonly string[] = [
  'BookAntiqua',
  'Bookman',
  'Calibri',
  'Cambria',
  'Candara',
  'Consolas',
  'Constantia',
  'Corbel',
  'Garamond',
  'Georgia',
  'Menlo',
  'Palatino',
  'SegoeUI',
  'Tahoma',
  'TrebuchetMS',
  'Verdana',
]
