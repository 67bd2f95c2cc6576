// An open overview is told what is new. Without it the page is whole, and as old as it says.
const place = document.querySelector('#levende')
const state = document.querySelector('#forbindelse')
const source = new EventSource('/strom')
source.addEventListener('oversikt', (event) => {
  // Whoever is reading a table is not moved: scrolled tables keep their places.
  const scrolled = [...place.querySelectorAll('.rull')].map((each) => each.scrollLeft)
  place.innerHTML = JSON.parse(event.data)
  for (const [index, each] of place.querySelectorAll('.rull').entries())
    each.scrollLeft = scrolled[index] ?? 0
  state.textContent = ''
})
source.addEventListener('error', () => {
  state.textContent = 'Forbindelsen er brutt. Siden oppdateres ikke før den er tilbake.'
})
