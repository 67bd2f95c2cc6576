import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { html } from 'ghtml'
import { dateFormat } from '#src/core/formats.ts'
import { isOwnForm } from '#src/pages/own-forms.ts'
import { demoPages, sendDemoPage } from '#test/support/demo-page.ts'
import type { Arrived, JudgedReceiver } from '#test/support/judged-receiver.ts'
import type { MailServer } from '#test/support/mail-server.ts'
import type { Conduct } from '#test/support/webhook-receiver.ts'
import { HAPPENINGS, type Happening, type Happenings, isHappening } from './happenings.ts'

type Stage = {
  happenings: Happenings
  mail: Pick<MailServer, 'mails'>
  receiver: Pick<JudgedReceiver, 'origin' | 'arrived' | 'conduct' | 'conductOf'>
  /** Where the demo's endpoint is, at the receiver; and where that of another key may be. */
  path: string
  ownPath: string
  /** The demo's key. */
  token: string
  /** The call that reads the feed. */
  feedCall: () => string
}

type Happened = { at: Date; orgnr: string; navn: string; happening: Happening; mailsBefore: number }

/**
 * Where a person lets something happen to an invented company and sees that it is told of, and where the webhooks arrive, with
 * a choice of what their receiver answers.
 */
export async function demoHappenings(app: FastifyInstance, stage: Stage): Promise<void> {
  const { happenings, receiver, path } = stage
  const happened: Happened[] = []

  await demoPages(app, async (pages) => {
    await pages.register(formbody, { bodyLimit: 1024 })
    // A page elsewhere lets nothing happen here.
    pages.addHook('onRequest', async (request, reply) => {
      if (request.method === 'POST' && !isOwnForm(request, `http://${request.host}`))
        await reply.code(403).send('Skjemaet kom fra en annen side.')
    })
    const hidden = { schema: { hide: true } }

    pages.get('/demo/hendelser', hidden, async (_request, reply) => {
      const isAwaited = happened[0] !== undefined && isOnItsWay(happened[0], stage)
      const main = happeningsMain(happened, stage)
      return sendDemoPage(reply, { title: 'La noe skje', main, againAfterSeconds: isAwaited ? 2 : null })
    })
    pages.post('/demo/hendelser', hidden, async (request, reply) => {
      const { orgnr, hendelse } = (request.body ?? {}) as Record<string, unknown>
      const choice = happenings.choices.find((each) => each.orgnr === orgnr)
      if (choice !== undefined && isHappening(hendelse) && happenings.happen(choice.orgnr, hendelse)) {
        const mailsBefore = stage.mail.mails.length
        happened.unshift({ at: new Date(), ...choice, happening: hendelse, mailsBefore })
        happened.splice(SHOWN_MAX)
      }
      return reply.redirect('/demo/hendelser', 303)
    })
    pages.get('/demo/mottak', hidden, async (_request, reply) =>
      sendDemoPage(reply, { title: 'Demoens mottak', main: receiverMain(stage) }),
    )
    pages.post('/demo/mottak', hidden, async (request, reply) => {
      const { svar } = (request.body ?? {}) as Record<string, unknown>
      const way = WAYS.find(([name]) => name === svar)
      if (way !== undefined) receiver.conduct(path, way[1])
      return reply.redirect('/demo/mottak', 303)
    })
  })
}

const SHOWN_MAX = 50
const AWAITED_MS = 60_000

const WAYS = [
  ['200', { status: 200 }, 'Tar imot (200)'],
  ['500', { status: 500 }, 'Feiler (500)'],
  ['410', { status: 410 }, 'Er borte (410)'],
  ['henger', 'hang', 'Svarer ikke'],
] as const satisfies readonly (readonly [string, Conduct, string])[]

function happeningsMain(happened: readonly Happened[], stage: Stage): string {
  const [latest] = happened
  return html`<h1>La noe skje</h1>
<p>Registeret i demoen svarer slik fra nå av, og sier fra i endringsstrømmen. Demoens nøkkel overvåker alle disse foretakene: hendelsen kommer som <a href="/demo/post">e-post</a>, som <a href="/demo/mottak">webhook</a>, på <a href="/overvaking">listen over det som overvåkes</a> og i strømmen:</p>
<p><code>${stage.feedCall()}</code></p>
<form method="post" action="/demo/hendelser">
<p><label for="orgnr">Foretak</label> <select id="orgnr" name="orgnr">!${stage.happenings.choices.map(
    ({ orgnr, navn }) =>
      html`<option value="${orgnr}"!${orgnr === latest?.orgnr ? ' selected' : ''}>${navn} (${orgnr})</option>`,
  )}</select></p>
<p>!${Object.entries(HAPPENINGS).map(
    ([name, label]) => html`<button name="hendelse" value="${name}">${label}</button>`,
  )}</p>
</form>
<h2>Det som har skjedd</h2>
!${happened.length === 0 ? '<p>Ingenting ennå.</p>' : happenedTable(happened, stage)}
<h2>Overvåk selv, steg for steg</h2>
!${steps(stage)}`
}

/** The whole way by hand, for whoever writes no code. */
function steps({ happenings, receiver, ownPath, token }: Stage): string {
  const companies = happenings.choices.map(({ orgnr, navn }) => html`<a href="/foretak/${orgnr}">${navn}</a>`)
  return html`<ol>
<li><a href="/kjop">Kjøp en nøkkel</a>: betalingen godkjennes hos en stedfortreder for Vipps, og nøkkelen kommer i <a href="/demo/post">posten</a>. Eller bruk demoens: <code>${token}</code></li>
<li><a href="/logg-inn">Logg inn</a> med nøkkelen.</li>
<li>Åpne et foretak, velg «Overvåk» og e-post «Med én gang»: !${companies.join(' · ')}. Demoens nøkkel overvåker dem fra før.</li>
<li>Vil du ha webhook også: legg til <code>${receiver.origin + ownPath}</code> som <a href="/endepunkter">endepunkt</a>.</li>
<li>La foretaket gå konkurs her på siden.</li>
<li>Se e-posten i <a href="/demo/post">posten</a>, meldingen i <a href="/demo/mottak">mottaket</a> og endringen på <a href="/overvaking">listen over det du overvåker</a>.</li>
</ol>`
}

function happenedTable(happened: readonly Happened[], stage: Stage): string {
  return html`<table><thead><tr><th scope="col">Når</th><th scope="col">Hva</th><th scope="col">Webhook</th><th scope="col">E-post</th></tr></thead><tbody>
!${happened.map((one) => {
    const hook = hookOf(one, stage)
    const mail = mailOf(one, stage)
    const navn = html`<a href="/foretak/${one.orgnr}">${one.navn}</a>`
    return html`<tr><td>${clockTime(one.at)}</td><td>!${navn}: ${HAPPENINGS[one.happening]}</td><td data-navn="Webhook">!${
      hook === undefined ? 'ikke ennå' : html`<a href="/demo/mottak">${clockTime(hook.at)}</a>`
    }</td><td data-navn="E-post">!${mail === undefined ? 'ikke ennå' : html`<a href="/demo/post">${mail.content.subject ?? 'kommet'}</a>`}</td></tr>`
  })}
</tbody></table>`
}

function isOnItsWay(one: Happened, stage: Stage): boolean {
  const isAllThere = hookOf(one, stage) !== undefined && mailOf(one, stage) !== undefined
  return !isAllThere && Date.now() - one.at.getTime() < AWAITED_MS
}

/** The first that came of this company after it happened. */
function hookOf(one: Happened, { receiver }: Stage): Arrived | undefined {
  return receiver.arrived.find(({ at, body }) => at >= one.at && body.includes(one.orgnr))
}

function mailOf(one: Happened, { mail }: Stage) {
  return mail.mails.slice(one.mailsBefore).find(({ content }) => digitsIn(content.text).includes(one.orgnr))
}

/** However a number is spaced. */
function digitsIn(text: string | undefined): string {
  return (text ?? '').replace(/(?<=\d)[ \u00a0](?=\d)/g, '')
}

function receiverMain({ receiver, path }: Stage): string {
  const current = JSON.stringify(receiver.conductOf(path))
  const all = receiver.arrived
  return html`<h1>Demoens mottak</h1>
<p>Her er det demoens mottaker av webhooker har fått, nyest først. <a href="/demo/mottak">Last på nytt</a> · <a href="/demo/hendelser">La noe skje</a> · <a href="/overvaking">Overvåking</a> · <a href="/endepunkter">Endepunkter</a></p>
<form method="post" action="/demo/mottak"><fieldset><legend>Hva mottakeren svarer</legend>
!${WAYS.map(
    ([name, conduct, label]) =>
      html`<button name="svar" value="${name}" aria-pressed="${JSON.stringify(conduct) === current}">${label}</button>`,
  )}
</fieldset></form>
!${all.length === 0 ? '<p>Ingenting ennå.</p>' : all.map((one, index) => article(one, all.slice(0, index))).toReversed()}`
}

function article(one: Arrived, before: readonly Arrived[]): string {
  const attempt = before.filter(({ id }) => id === one.id).length + 1
  const signature =
    one.isSigned === null
      ? 'ikke prøvd'
      : one.isSigned
        ? 'riktig'
        : 'FEIL: ikke signert med endepunktets hemmelighet'
  const { conduct } = one
  return html`<article><h2>${typeIn(one.body)}</h2>
<p class="til">${clockTime(one.at)} · id ${one.id} · forsøk ${attempt} · signatur: ${signature} · svarte ${typeof conduct === 'string' ? 'ikke' : conduct.status}</p>
<pre class="kode">${indented(one.body)}</pre></article>`
}

function typeIn(body: string): string {
  const told = parsed(body) as { type?: unknown } | null
  return typeof told?.type === 'string' ? told.type : 'uten type'
}

function indented(body: string): string {
  const told = parsed(body)
  return (told === null ? body : JSON.stringify(told, null, 2)).slice(0, 4000)
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

function clockTime(at: Date): string {
  return dateFormat('nb-NO', { timeZone: 'Europe/Oslo', timeStyle: 'medium' }).format(at)
}
