import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampleAnswers } from '#test/fixtures/samples/index.ts'
import { runCommand } from '#test/support/command.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type RegisterStandIn, startRegisterStandIn } from '#test/support/register-stand-in.ts'

let storage: TestDatabase
let register: RegisterStandIn
beforeAll(async () => {
  storage = await createTestDatabase()
  register = await startRegisterStandIn({ answers: sampleAnswers() })
})
afterAll(async () => {
  await register.close()
  await storage.close()
})

const oppslag = (...args: string[]) =>
  runCommand({ DATABASE_URL: storage.url, REGISTER_URL: register.registerUrl }, args)

it('an operator builds the index, and sees which one is read', async () => {
  expect((await oppslag('sok', 'vis')).out).toContain('ingen; registeret spørres')
  expect(await oppslag('sok', 'bygg', '--hvorfor', 'en prøve')).toMatchObject({ code: 0, err: '' })
  const { indeks, bygger } = JSON.parse((await oppslag('sok', 'vis', '--json')).out)
  expect(indeks.units).toBeGreaterThan(5)
  expect(indeks.names).toBeGreaterThan(indeks.units)
  expect(bygger).toBeNull()
})
