import { Writable } from 'node:stream'
import { pino } from 'pino'
import { policy } from '#config/policy.ts'
import { createLog, type Log } from '#src/core/log.ts'

export const key = 'bo_live_0123456789Ab_0123456789012345678901234567890123456789012abcdef'

export const letter = {
  to: 'kari.nordmann@kjoper.example',
  messageId: '<ordre-1.lever.1.1@selger.example>',
  subject: 'Nøkkelen din – ordre 1',
  text: `Hei.\n\nNøkkelen:\n\n${key}\n\n.\n..\nÆrlig talt.`,
  html: `<p>Nøkkelen:</p><p><code>${key}</code></p>`,
}

/** As the service is set up. */
export const openOptions = {
  smtpUrl: null,
  dataDir: '',
  from: { name: 'Bedriftsoppslag', address: 'nokler@selger.example' },
  replyTo: 'hjelp@selger.example',
  bounceAddress: 'retur@selger.example',
  dkim: null,
  policy: policy.mail,
  log: createLog({ level: 'silent', file: null }),
}

/** Where a server is silent on purpose. */
export const hasty = { ...policy.mail, connectTimeoutMs: 1000, silenceMs: 1000, finishMs: 100 }

export function soon(): { signal: AbortSignal } {
  return { signal: AbortSignal.timeout(10_000) }
}

/** A log one can read. */
export function listeningLog(): { log: Log; text(): string } {
  const lines: string[] = []
  const paper = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  return { log: pino({ level: 'trace' }, paper), text: () => lines.join('') }
}
