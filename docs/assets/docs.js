// Adds a search and copy buttons to the documentation, and scrolls the menu to the current page. Without this script,
// the pages have the same text.

const { search: index, docs } = document.currentScript.dataset

const menu = document.getElementById('menu')
const current = menu.querySelector('[aria-current]')
// The menu is longer than a window.
if (current !== null) menu.scrollTop = current.offsetTop - menu.clientHeight / 2

for (const figure of document.querySelectorAll('.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', 'Copy this code')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 1500)
  })
  figure.append(button)
}

const box = document.getElementById('search')
const input = document.createElement('input')
input.type = 'search'
input.placeholder = 'Search  /'
input.setAttribute('aria-label', 'Search the documentation')
const list = document.createElement('ol')
list.hidden = true
box.append(input, list)

let entries
let searching
input.addEventListener('input', () => {
  searching = search()
})

/** Lists the entries that contain the words of the field. */
async function search() {
  entries ??= await readIndex()
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  const found = words.length === 0 ? [] : ranked(words).slice(0, 12)
  list.replaceChildren(...found.map(itemOf))
  list.hidden = words.length === 0
  if (words.length > 0 && found.length === 0)
    list.append(itemOf({ path: '', heading: 'Nothing found', page: 'Try another word' }))
}

input.addEventListener('keydown', async (event) => {
  if (event.key !== 'Enter') return
  event.preventDefault()
  await searching
  list.querySelector('a:not([href="#"])')?.click()
})

/** Loads the search index. The static site uses a script, because browsers do not fetch files from a disk. */
async function readIndex() {
  if (!index.endsWith('.js')) return await (await fetch(index)).json()
  const script = document.createElement('script')
  script.src = index
  await new Promise((resolve, reject) => {
    script.onload = resolve
    script.onerror = reject
    document.head.append(script)
  })
  return globalThis.searchEntries
}

/** Entries that hold every word; those in a heading come first, and pages before their parts. */
function ranked(words) {
  const scored = entries.map((entry) => {
    const heading = entry.heading.toLowerCase()
    const all = `${heading} ${entry.page.toLowerCase()} ${entry.text.toLowerCase()}`
    if (!words.every((word) => all.includes(word))) return { entry, score: 0 }
    const inHeading = words.filter((word) => heading.includes(word)).length
    return {
      entry,
      score: 1 + 3 * inHeading + (heading.startsWith(words[0]) ? 2 : 0) + (entry.path.includes('#') ? 0 : 1),
    }
  })
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry)
}

function itemOf({ path, heading, page }) {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = path === '' ? '#' : new URL(path, new URL(`${docs}/`, location.href))
  link.append(heading)
  const small = document.createElement('small')
  small.textContent = page
  link.append(small)
  item.append(link)
  return item
}

document.addEventListener('keydown', (event) => {
  const isTyping = event.target.matches?.('input, textarea, select')
  if (event.key === '/' && !isTyping) {
    event.preventDefault()
    input.focus()
  }
  if (event.key === 'Escape') list.hidden = true
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event)
})

/** Moves the focus through the search field and its results with the arrow keys. */
function move(event) {
  const stops = [input, ...list.querySelectorAll('a')]
  const at = stops.indexOf(document.activeElement)
  if (list.hidden || at === -1) return
  event.preventDefault()
  stops.at((at + (event.key === 'ArrowDown' ? 1 : stops.length - 1)) % stops.length).focus()
}

document.addEventListener('click', (event) => {
  if (!box.contains(event.target)) list.hidden = true
})
