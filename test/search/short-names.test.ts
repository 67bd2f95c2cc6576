import { expect, it } from 'vitest'
import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { readName } from '#src/search/name.ts'
import { calledSo, publicBodies } from '#src/search/short-names.ts'

it('every public body has a number that can be one, and no two share a number or a name', () => {
  const numbers = publicBodies.map(({ orgnr }) => String(orgnr))
  const names = publicBodies.flatMap(({ names }) => names.map((name) => readName(name).key))
  expect(numbers.filter((orgnr) => !isOrganisasjonsnummer(orgnr))).toEqual([])
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(new Set(names).size).toBe(names.length)
})

it.each([
  ['nav', 889640782],
  ['UiO', 971035854],
  ['u.i.o.', 971035854],
  ['OUS', 993467049],
  ['dfø', 986252932],
])('%s is what one of them is called', (name, orgnr) => expect(calledSo(name)).toEqual([orgnr]))
