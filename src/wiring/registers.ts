import type { Environment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import type { Sources } from '#src/record/cached-sources.ts'
import type { CachedSource } from '#src/record/lifetimes.ts'
import { createFeedSource } from '#src/sources/enhetsregisteret/feeds.ts'
import { createRolesSource } from '#src/sources/enhetsregisteret/roles.ts'
import { createSearchSource } from '#src/sources/enhetsregisteret/search.ts'
import { createUnitSource } from '#src/sources/enhetsregisteret/unit.ts'
import { createAuthoritySource } from '#src/sources/fullmakt/authority.ts'
import { createGuard, type Guard } from '#src/sources/guard.ts'
import { createIndustryCodesSource } from '#src/sources/klass/industry-codes.ts'
import { createAnnouncementSource } from '#src/sources/kunngjoringer/announcements.ts'
import { createRegisterClient } from '#src/sources/register-client.ts'
import { createAccountsSource } from '#src/sources/regnskap/accounts.ts'

export type Registers = ReturnType<typeof openRegisters>

/** Every register the service speaks to, each source behind its guard. */
export function openRegisters(environment: Environment) {
  const userAgent = `bedriftsoppslag/1 (${environment.contact})`
  const open = (url: string, bodyBytesMax: number) =>
    createRegisterClient({ baseUrl: new URL(url), userAgent, ...policy.registers, bodyBytesMax })
  const register = open(environment.registerUrl, policy.registers.bodyBytesMax)
  const changes = open(environment.registerUrl, policy.feeds.bodyBytesMax)
  const kunngjoring = open(environment.kunngjoringUrl, policy.registers.bodyBytesMax)
  const klass = open(environment.klassUrl, policy.industryCodes.bodyBytesMax)

  return {
    sources: sourcesOf(environment, { register, kunngjoring }),
    guards: guards(),
    feeds: createFeedSource(changes),
    industryCodes: createIndustryCodesSource(klass),
    async close() {
      await Promise.all([register, changes, kunngjoring, klass].map((client) => client.close()))
    },
  }
}

type Client = ReturnType<typeof createRegisterClient>

function sourcesOf(
  environment: Environment,
  { register, kunngjoring }: Record<'register' | 'kunngjoring', Client>,
): Sources {
  const units = createUnitSource(register)
  const authority = createAuthoritySource(register)
  const announcements = createAnnouncementSource(kunngjoring, {
    enabled: environment.kunngjoringer === 'w2',
    callsPerSecond: environment.kunngjoringCallsPerSecond,
    ...policy.announcements,
  })
  return {
    enhet: units.fetchEnhet,
    underenhet: units.fetchUnderenhet,
    roller: createRolesSource(register).fetchRoller,
    signatur: authority.fetchSignatur,
    prokura: authority.fetchProkura,
    regnskap: createAccountsSource(register).fetchRegnskap,
    kunngjoringer: announcements.fetchKunngjoringer,
    sok: createSearchSource(register).searchEnheter,
  }
}

function guards(): Record<CachedSource, Guard> {
  return {
    enhet: createGuard('enhet', policy.guard),
    underenhet: createGuard('underenhet', policy.guard),
    roller: createGuard('roller', policy.guard),
    signatur: createGuard('signatur', policy.guard),
    prokura: createGuard('prokura', policy.guard),
    regnskap: createGuard('regnskap', policy.guard),
    kunngjoringer: createGuard('kunngjoringer', policy.guard),
    sok: createGuard('sok', policy.guard),
  }
}
