import { expect, test } from 'vitest'
import { runProgram } from '#src/embedded/run-program.ts'

test('a program of PostgreSQL that fails is told with the last it said, or with why it could not be run, in one line', async () => {
  const sh = (words: string) => runProgram('/bin/sh', null, '/', 60_000, ['-c', words])
  await expect(sh('echo først >&2; echo "error: intet rom" >&2; exit 3')).rejects.toMatchObject({
    message: '/bin/sh failed: error: intet rom',
    output: 'først\nerror: intet rom',
  })
  await expect(sh('exit 3')).rejects.toThrow(/^\/bin\/sh failed: 3$/)
  await expect(runProgram('/bin/finnes-ikke', null, '/', 60_000, [])).rejects.toThrow(/ failed: ENOENT$/)
})
