import { type Command, Option } from 'commander'
import { type Environment, readEnvironment } from '#config/environment.ts'
import { policy } from '#config/policy.ts'
import { issueKey } from '#src/access/issue-key.ts'
import type { Miljo } from '#src/core/api-key.ts'
import { OppslagError } from '#src/core/errors.ts'
import { createLog } from '#src/core/log.ts'
import type { MailOutcome } from '#src/mail/outcome.ts'
import { actOnRecord } from '#src/ops/deeds.ts'
import { issueByMail } from '#src/sales/issue-by-mail.ts'
import { createOpened } from '#src/wiring/opened.ts'
import { openPost } from '#src/wiring/post.ts'
import { byOf, type ReasonOptions, withReason } from './by.ts'
import { aligned, asTime, print, printJson } from './output.ts'
import { withStorage } from './storage.ts'
import { TYPED_ADDRESS, typedAddress } from './typed-address.ts'

/** `nokkel utsted`. */
export function addIssueCommand(keys: Command): void {
  withReason(
    keys
      .command('utsted')
      .description('Utsted en nøkkel som gjelder i ett år')
      .requiredOption('--epost <adresse>', `hvem nøkkelen er til; ${TYPED_ADDRESS}`)
      .addOption(
        new Option('--miljo <miljø>', 'hva slags nøkkel; ellers som MILJO').choices(['live', 'test']),
      )
      .option('--vis', 'vis nøkkelen én gang, i stedet for å sende den på e-post'),
  ).action(issue)
}

type IssueOptions = ReasonOptions & { epost: string; miljo?: Miljo; vis?: true }

async function issue(options: IssueOptions): Promise<void> {
  const epost = await typedAddress(options.epost)
  const { miljo: standard } = readEnvironment(process.env)
  const miljo = options.miljo ?? standard
  const intent = { ...byOf(options), handling: 'nokkel.utsted', gjelder: null }
  if (!options.vis) return issueAndMail({ epost, miljo, intent, json: options.json })
  await withStorage(async ({ database: db, salesClock }) => {
    const ground = { db, clock: salesClock }
    const { token, id, utloper } = await actOnRecord(
      ground,
      intent,
      () => issueKey(ground, { epost, miljo }),
      (key) => ({ gjelder: key.id }),
    )
    // At once: from now on the key exists nowhere else.
    if (options.json) return printJson({ nokkel: token, id, epost, miljo, utloper })
    print('Nøkkelen vises bare denne ene gangen:', '', `  ${token}`, '')
    print(...facts({ id, epost, miljo, utloper }))
  })
}

async function issueAndMail({
  epost,
  miljo,
  intent,
  json,
}: {
  epost: string
  miljo: Miljo
  intent: Parameters<typeof actOnRecord>[1]
  json: true | undefined
}): Promise<void> {
  const environment = readEnvironment(process.env)
  const { id, utloper, outcome } = await withPost(environment, ({ post, domain }) =>
    withStorage(({ database: db, salesClock: clock }) =>
      actOnRecord(
        { db, clock },
        intent,
        () => issueByMail({ db, clock, post, mailDomain: domain, policy: policy.sales }, { epost, miljo }),
        ({ id, outcome }) => ({ gjelder: id, utfall: ENDINGS[outcome] }),
      ),
    ),
  )
  const isSent = outcome === 'accepted'
  if (!isSent && outcome !== 'unknown') throw new OppslagError('epost_ikke_sendt', NOT_SENT[outcome])
  if (json) return printJson({ id, epost, miljo, utloper, sendt: isSent ? 'ja' : 'ukjent' })
  const { smtpUrl } = environment.mail
  if (!isSent) print('E-postserveren svarte ikke: nøkkelen er kanskje kommet fram. I så fall virker den.', '')
  else if (smtpUrl === null) print('SMTP_URL er ikke satt: e-posten ligger i mappen mail under DATA_DIR.', '')
  else print('Nøkkelen er sendt på e-post.', '')
  print(...facts({ id, epost, miljo, utloper }))
}

const ENDINGS = {
  accepted: 'gjort',
  unknown: 'kanskje_sendt',
  refused_recipient: 'epost_ikke_sendt',
  refused_us: 'epost_ikke_sendt',
  temporary: 'epost_ikke_sendt',
} as const satisfies Record<MailOutcome, string>

const NOT_SENT = {
  refused_recipient: 'E-postserveren tar ikke imot e-post til denne adressen. Ingen nøkkel gjelder.',
  refused_us: 'E-postserveren avviser oss. Ingen nøkkel gjelder; se på SMTP_URL og MAIL_FROM.',
  temporary: 'E-postserveren tok ikke imot e-posten nå. Ingen nøkkel gjelder; prøv igjen om en stund.',
} as const

/** A way for mails, closed afterwards. It logs nothing: what became of the mail is told here. */
async function withPost<T>(
  environment: Environment,
  work: (mail: ReturnType<typeof openPost>) => Promise<T>,
): Promise<T> {
  const log = createLog({ level: 'silent', file: null })
  const opened = createOpened(log)
  const { publicUrl, host, port } = environment
  try {
    return await work(
      openPost(environment, { publicUrl: () => publicUrl ?? `http://${host}:${port}`, log, opened }),
    )
  } finally {
    await opened.closeAll()
  }
}

function facts(key: { id: string; epost: string; miljo: Miljo; utloper: Date }): string[] {
  return aligned([
    ['Id', key.id],
    ['E-post', key.epost],
    ['Miljø', key.miljo],
    ['Utløper', asTime(key.utloper)],
  ])
}
