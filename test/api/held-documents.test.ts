import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closedPages } from '#test/support/closed-pages.ts'
import { type PageFront, startPageFront } from '../pages/page-front.ts'

/** What is asked for is unpacked by `fetch` itself. */
const FORMS = ['br', 'gzip', 'zstd', 'identity']

describe('documents that are the same for everybody', () => {
  let front: PageFront

  beforeAll(async () => {
    front = await startPageFront(closedPages())
  })
  afterAll(() => front.close())

  it.each(['/openapi.json', '/dokumentasjon/postman.json'])(
    '%s has a tag for each of its forms, and is not sent again to who has it',
    async (path) => {
      const plain = await front.get(path, { 'accept-encoding': 'identity' })
      const tags = new Set<string | null>()
      for (const form of FORMS) {
        const { status, headers, text } = await front.get(path, { 'accept-encoding': form })
        expect(text === plain.text, form).toBe(true)
        expect([status, headers.get('content-encoding')]).toEqual([200, form === 'identity' ? null : form])
        expect(headers.get('vary')).toContain('Accept-Encoding')
        const tag = headers.get('etag') ?? ''
        tags.add(tag)
        const again = await front.get(path, { 'accept-encoding': form, 'if-none-match': tag })
        expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag])
      }
      expect(tags.size).toBe(FORMS.length)
    },
  )

  it.each(['/', '/kjop', '/openapi.json', '/health/live', '/finnes/ikke', '/api/bedrift/status'])(
    '%s is never taken for another type, and may use nothing of the browser’s',
    async (path) => {
      const { headers } = await front.get(path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('permissions-policy')).toContain('camera=()')
    },
  )
})
