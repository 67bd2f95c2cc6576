// Suggestions while somebody types, in every search field of ours: the combobox of WAI-ARIA 1.2, with a list of links' worth of
// choices. Without this script the field is a form that leads to the same list.
const PAUSE_MS = 150
const LETTERS_LEAST = 2
const KEY = /bo_(live|test)_/i

document.querySelectorAll('[data-forslag]').forEach((place, number) => {
  const field = place.querySelector('input')
  const list = document.createElement('ul')
  const said = document.createElement('p')
  let shown = []
  let active = -1
  let timer
  let asking = null

  list.id = `forslag-${number}`
  list.className = 'sok__forslag'
  list.hidden = true
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', place.dataset.navn)
  said.className = 'ds-sr-only'
  said.setAttribute('role', 'status')
  field.setAttribute('role', 'combobox')
  field.setAttribute('aria-autocomplete', 'list')
  field.setAttribute('aria-controls', list.id)
  field.setAttribute('aria-expanded', 'false')
  place.append(list, said)

  function close() {
    clearTimeout(timer)
    asking?.abort()
    list.hidden = true
    active = -1
    field.setAttribute('aria-expanded', 'false')
    field.removeAttribute('aria-activedescendant')
  }

  function activate(index) {
    list.children[active]?.setAttribute('aria-selected', 'false')
    active = index
    const item = list.children[active]
    if (item === undefined) {
      field.removeAttribute('aria-activedescendant')
      return
    }
    item.setAttribute('aria-selected', 'true')
    item.scrollIntoView({ block: 'nearest' })
    field.setAttribute('aria-activedescendant', item.id)
  }

  function show(found) {
    shown = found
    list.replaceChildren(
      ...found.map(({ navn, om }, index) => {
        const item = document.createElement('li')
        item.id = `${list.id}-${index}`
        item.setAttribute('role', 'option')
        item.setAttribute('aria-selected', 'false')
        const name = document.createElement('bdi')
        name.textContent = navn
        const about = document.createElement('span')
        about.className = 'sok__om'
        about.textContent = om
        item.append(name, ' ', about)
        // Before the field loses its focus, which closes the list.
        item.addEventListener('mousedown', (event) => {
          event.preventDefault()
          location.assign(shown[index].lenke)
        })
        return item
      }),
    )
    active = -1
    field.removeAttribute('aria-activedescendant')
    list.hidden = found.length === 0
    field.setAttribute('aria-expanded', String(found.length > 0))
    const { ett, flere, ingen } = place.dataset
    said.textContent =
      found.length === 0 ? ingen : found.length === 1 ? ett : flere.replace('{antall}', found.length)
  }

  async function ask(text) {
    asking?.abort()
    asking = new AbortController()
    const { signal } = asking
    try {
      const address = new URL(place.dataset.forslag, location.href)
      address.searchParams.set('q', text)
      const answer = await fetch(address, { signal, headers: { accept: 'application/json' } })
      if (!answer.ok) return close()
      const { treff } = await answer.json()
      if (!signal.aborted && document.activeElement === field) show(treff)
    } catch {
      // Another letter was typed, or the network is away: the form works all the same.
    }
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    const text = field.value.trim()
    // A key that was put here by mistake goes nowhere.
    if (text.length < LETTERS_LEAST || KEY.test(text)) return close()
    timer = setTimeout(ask, PAUSE_MS, text)
  })
  field.addEventListener('keydown', (event) => {
    const isOpen = !list.hidden
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!isOpen) {
        if (field.value.trim().length >= LETTERS_LEAST) ask(field.value.trim())
        return
      }
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      // One place more than there are choices: the field itself, with what was typed.
      const places = shown.length + 1
      activate(((active + 1 + step + places) % places) - 1)
    } else if (event.key === 'Enter' && isOpen && active >= 0) {
      event.preventDefault()
      location.assign(shown[active].lenke)
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault()
      close()
    } else if (event.key === 'Tab') close()
  })
  field.addEventListener('blur', close)
})

// What only a script can do is offered by it alone.
for (const button of document.querySelectorAll('[data-skriv-ut]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}
for (const button of document.querySelectorAll('[data-kopier]')) {
  button.hidden = navigator.clipboard === undefined
  button.addEventListener('click', async () => {
    const text =
      button.dataset.kopier === '' ? location.href : await (await fetch(button.dataset.kopier)).text()
    await navigator.clipboard.writeText(text)
    button.textContent = button.dataset.gjort
  })
}
