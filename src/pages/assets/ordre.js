// Asks for the order's page again while the order is on its way, and shows the new one when something has happened.
// Without this script the page does the same by loading itself.
const FIRST_MS = 1500
const SLOWEST_MS = 10_000

let pauseMs = FIRST_MS

async function look() {
  const shown = document.querySelector('[data-tilstand]')
  if (shown === null || shown.dataset.endelig === 'ja') return
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' }, cache: 'no-store' })
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      const found = page.querySelector('[data-tilstand]')
      if (found !== null && found.dataset.tilstand !== shown.dataset.tilstand) {
        shown.replaceWith(document.adoptNode(found))
        document.title = page.title
        // A live region that was just put in is not read out: its words are written into it once it is there.
        const status = document.querySelector('[role="status"]')
        if (status !== null) {
          const said = [...status.childNodes]
          status.replaceChildren()
          setTimeout(() => status.replaceChildren(...said), 50)
        }
        pauseMs = FIRST_MS
      }
    }
  } catch {
    // The network is away; the next look may find it.
  }
  pauseMs = Math.min(pauseMs * 1.2, SLOWEST_MS)
  setTimeout(look, pauseMs)
}

setTimeout(look, pauseMs)
