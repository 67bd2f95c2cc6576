import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openPage } from './browser.ts'
import { answersWithCopies, inventNumbers } from './invented-companies.ts'
import { startRegisterStandIn } from './register-stand-in.ts'
import { startTestService, type TestService } from './service.ts'

/** As a company's own: the register knows it, and it is none of the invented. */
export const [REAL = ''] = inventNumbers(1)

/** The service, and a browser whose pages begin at it. */
export type LookUp = {
  readonly service: TestService
  /** A page of a visitor who has been nowhere yet; 1280 × 900, in Norwegian, unless told otherwise. */
  open(options?: BrowserContextOptions): Promise<Page>
  /** The browser too. */
  close(): Promise<void>
}

export async function startLookUp(browser: Browser | null): Promise<LookUp> {
  const register = await startRegisterStandIn({ answers: answersWithCopies([REAL as never]) })
  const service = await startTestService(register, { isLoaded: true, workers: false })
  return {
    service,
    open: (options = {}) =>
      openPage(browser, {
        viewport: { width: 1280, height: 900 },
        baseURL: service.address,
        ...options,
      }),
    async close() {
      await browser?.close()
      await service.close()
      await register.close()
    },
  }
}
