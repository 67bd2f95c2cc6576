import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closedPages } from '#test/support/closed-pages.ts'
import { type PageFront, startPageFront } from '../pages/page-front.ts'

/** What is asked for is unpacked by `fetch` itself. */
const FORMS = ['br', 'gzip', 'zstd', 'identity']

describe('the console of the documentation', () => {
  let front: PageFront

  beforeAll(async () => {
    front = await startPageFront(closedPages())
  })
  afterAll(() => front.close())

  it('is a page whose every file is served from here, as what it is', async () => {
    const page = await front.get('/dokumentasjon/konsoll')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const paths = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path = '']) => path)
    expect(paths.length).toBe(4)
    const types = await Promise.all(
      paths.map(async (path) => {
        const { status, headers } = await front.get(path)
        expect([path, status]).toEqual([path, 200])
        return headers.get('content-type')?.split(';')[0]
      }),
    )
    expect(new Set(types)).toEqual(new Set(['image/png', 'text/css', 'text/javascript']))
    expect((await front.get('/dokumentasjon/konsoll/?lang=en')).status).toBe(200)
  })

  it.each(['/openapi.json', '/dokumentasjon/konsoll/static/swagger-ui.css'])(
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

  it('a picture is not packed once more', async () => {
    const picture = await front.get('/dokumentasjon/konsoll/static/favicon-32x32.png', {
      'accept-encoding': 'br',
    })
    expect([picture.status, picture.headers.get('content-encoding')]).toEqual([200, null])
  })
})
