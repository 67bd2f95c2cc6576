import { expect, test } from 'vitest'
import { foldName, tidyName } from '#src/core/person-name.ts'

test('spellings of one name are folded to one, and only those', () => {
  for (const spelling of ['Åse  Østbø', ' ÅSE ØSTBØ', 'åse\u00a0østbø', 'A\u030aSE ØSTBØ'])
    expect(foldName(spelling)).toBe('ÅSE ØSTBØ')
  expect(foldName('ASE OSTBO')).not.toBe(foldName('ÅSE ØSTBØ'))
  expect(foldName('ÅSE-ØSTBØ')).not.toBe(foldName('ÅSE ØSTBØ'))
})

test('a name is shown in the case it has', () => {
  expect(tidyName(' Åse \t Østbø\n')).toBe('Åse Østbø')
  expect(tidyName('ÅSE')).toBe('ÅSE')
  expect(tidyName('  ')).toBe('')
})
