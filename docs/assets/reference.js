// What Scalar's pages leave out for those who read by ear or move by keyboard; they draw parts anew, so it looks again.

const SCROLLED = '.scalar-card-footer:not([tabindex]), ul[aria-label$=" endpoints"]:not([tabindex])'

const textOf = (element) => element?.textContent.trim() ?? ''
const namesOf = (element) =>
  (element.getAttribute('aria-labelledby') ?? '').split(/\s+/).map((id) => textOf(document.getElementById(id)))

function mend() {
  for (const button of document.querySelectorAll('button[aria-controls]:not([aria-label])')) {
    // What is not drawn is not said either.
    if (button.innerText.trim() !== '' || namesOf(button).some((name) => name !== '')) continue
    button.removeAttribute('aria-labelledby')
    button.setAttribute('aria-label', button.matches('.scalar-code-copy') ? 'Copy' : 'Choose')
  }
  for (const box of document.querySelectorAll(SCROLLED)) box.tabIndex = 0
  // A name that says other words than the button shows is not found by those who speak them.
  for (const button of document.querySelectorAll('button.show-more[aria-label], button[aria-label^="Show all "]')) {
    button.removeAttribute('aria-label')
  }
  const names = new Set()
  for (const region of document.querySelectorAll('div[role="region"][aria-labelledby]')) {
    const name = namesOf(region).join(' ')
    if (names.has(name)) region.setAttribute('role', 'group')
    names.add(name)
  }
}

let isDue = false
new MutationObserver(() => {
  if (isDue) return
  isDue = true
  requestAnimationFrame(() => {
    isDue = false
    mend()
  })
}).observe(document, { subtree: true, childList: true })
