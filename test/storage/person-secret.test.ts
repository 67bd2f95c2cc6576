import { expect, it } from 'vitest'
import { personSecret } from '#src/storage/person-secret.ts'
import { createTestDatabase } from '#test/support/database.ts'

it('the secret of people’s ids is one, whoever asks first and however often', async () => {
  const storage = await createTestDatabase()
  try {
    const secrets = await Promise.all(Array.from({ length: 20 }, () => personSecret(storage.database)))
    const later = await personSecret(storage.database)
    expect(new Set([...secrets, later].map((secret) => secret.toString('hex'))).size).toBe(1)
    expect(later.length).toBe(32)
  } finally {
    await storage.close()
  }
})
