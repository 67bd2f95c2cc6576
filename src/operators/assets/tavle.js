// What the board of jobs leaves out and has no option for: names of the buttons that are icons alone, for those who do not see
// them, and a way back to the operators' own pages. It draws itself anew as it likes, so this looks after each time.
const NAMES = {
  'lucide-maximize': 'Full screen',
  'lucide-minimize': 'Leave full screen',
  'lucide-settings': 'Settings',
  'lucide-circle-user': 'Links',
  'lucide-circle-user-round': 'Links',
}

function nameOf(button) {
  const icon = [...(button.querySelector('svg')?.classList ?? [])].find((each) => each in NAMES)
  if (icon !== undefined) return NAMES[icon]
  const about = button.parentElement?.parentElement?.querySelector('a, h1, h2, h3')?.textContent?.trim() ?? ''
  return about === '' ? 'Menu' : `Menu, ${about}`
}

function lookAfter() {
  for (const button of document.querySelectorAll('button:not([aria-label])'))
    if (button.textContent.trim() === '') button.setAttribute('aria-label', nameOf(button))
  const actions = document.querySelector('button[aria-label="Settings"]')?.closest('ul, nav, div')
  if (actions && document.querySelector('[data-tilbake]') === null) {
    const back = document.createElement('a')
    back.href = '/'
    back.dataset.tilbake = ''
    back.textContent = 'Oversikt'
    back.style.cssText = 'align-self:center;margin-inline-end:0.75rem;color:inherit'
    const isList = actions.tagName === 'UL'
    const place = isList ? document.createElement('li') : back
    if (isList) place.append(back)
    actions.prepend(place)
  }
}

new MutationObserver(lookAfter).observe(document.documentElement, { childList: true, subtree: true })
lookAfter()
