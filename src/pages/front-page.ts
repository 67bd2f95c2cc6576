import { html } from 'ghtml'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import type { Bedrift } from '#src/record/record.ts'
import type { Offer } from '#src/sales/ports.ts'
import { NAME, type PageContent } from './layout.ts'
import { searchForm } from './lookup/search-form.ts'
import { priceText } from './price.ts'
import { vatText } from './purchase-parts.ts'
import { recordExcerpt } from './record-view/record-view.ts'
import type { Visitor } from './visitor.ts'

/** What the service is, what a record looks like, what it costs. */
export function frontPage(
  { offer, sample, publicUrl }: { offer: Offer | null; sample: Bedrift; publicUrl: string },
  visitor: Visitor,
): PageContent {
  const { language, at } = visitor
  const t = words[language]
  const price = offer === null ? null : priceText(offer, language)
  const buy = html`<a class="ds-button" href="${at('/kjop')}">${price === null ? t.buy : t.buyFor(price)}</a>`
  return {
    title: NAME,
    description: t.lead,
    hasOwnSearch: true,
    main: html`
<section class="forside">
<div class="ramme forside__rad">
<div class="forside__tekst">
<h1 class="ds-heading" data-size="xl">${t.title}</h1>
<p class="ds-paragraph ingress">${t.lead}</p>
!${searchForm(visitor, { id: 'sok', isLarge: true })}
<p class="dempet">${t.searchHint}</p>
<p class="knapper">!${buy} <a class="ds-button" data-variant="secondary" href="${at('/eksempel')}">${t.example}</a></p>
</div>
<div class="kode" role="region" aria-label="${t.callLabel}" tabindex="0"><pre><code>!${call(sample, publicUrl)}</code></pre></div>
</div>
</section>
<section class="ramme luft" aria-labelledby="hva">
<h2 class="ds-heading" data-size="md" id="hva">${t.whatTitle}</h2>
<ul class="punkter">
!${t.points.map(([title, text]) => html`<li><h3 class="ds-heading" data-size="2xs">${title}</h3><p class="ds-paragraph">${text}</p></li>`)}
</ul>
</section>
<section class="tonet" aria-labelledby="eksempel">
<div class="ramme luft">
<p class="overlinje" id="eksempel">${t.sampleTitle}</p>
!${recordExcerpt(sample, language)}
<p><a class="ds-link" href="${at('/eksempel')}">${t.whole}</a></p>
</div>
</section>
<section class="ramme luft" aria-labelledby="pris">
<div class="pris">
<div>
<h2 class="ds-heading" data-size="md" id="pris">${t.priceTitle}</h2>
<ul class="ds-list">!${t.included.map((each) => html`<li>${each}</li>`)}</ul>
<h3 class="ds-heading pris__hvorfor" data-size="2xs">${t.whyTitle}</h3>
<p class="ds-paragraph">${t.why}</p>
</div>
<div class="pris__kort">
<p class="pris__tall">${price ?? t.closed}</p>
<p class="dempet">${price === null ? t.closedText : t.perYear}</p>
!${offer === null ? '' : html`<p class="dempet">${vatText(offer, language)}</p>`}
!${buy}
</div>
</div>
</section>`,
  }
}

/** A call that works as it stands, with the key that everybody has, and the beginning of what is truly answered to it. */
function call(sample: Bedrift, publicUrl: string): string {
  const sections = ['status', 'roller', 'regnskap', 'kunngjoringer', 'aksjonaerer', 'eierskap'] as const
  return html`<span class="kode__svak">curl</span> ${publicUrl}/api/bedrift/${sample.organisasjonsnummer} ${'\\'}
  -H 'Authorization: Bearer ${PUBLIC_TEST_KEY}'

{
  <span class="kode__navn">"navn"</span>: "${sample.navn}",
  <span class="kode__navn">"komplett"</span>: ${String(sample.komplett)},
!${sections.map(
    (name) => html`  <span class="kode__navn">"${name}"</span>: { "tilstand": "${sample[name].tilstand}", … },
`,
  )}  …
}`
}

const words = {
  nb: {
    title: 'Ett oppslag om ethvert norsk foretak',
    lead: 'Hvem det er, hvem som styrer og eier det, hva regnskapene viser og hva som er kunngjort. Samlet fra de offentlige registrene i ett svar, som sier hvor hver del kommer fra og hva som mangler.',
    searchHint: 'Oppdiktede foretak er åpne for alle: prøv «tindevag». Virkelige krever nøkkel.',
    buy: 'Kjøp nøkkel',
    buyFor: (price: string) => `Kjøp nøkkel, ${price}`,
    example: 'Se et eksempel',
    callLabel: 'Et kall som virker, og begynnelsen på svaret',
    whatTitle: 'Slik er svaret',
    points: [
      [
        'Helt',
        'Grunndata, roller, signatur og prokura, næring, regnskap år for år, status, kunngjøringer, aksjonærer og eierskap i flere ledd. Ett kall, ett svar.',
      ],
      [
        'Ærlig',
        'Hver del har kilde, dato og tilstand. En kilde som ikke svarer, blir aldri til en tom liste. Et tall som mangler, blir aldri null kroner.',
      ],
      [
        'Ferskt',
        'Registrenes endringer følges fortløpende og vises innen et minutt. Svikter en kilde, får du siste gode kopi, merket som det den er.',
      ],
      [
        'Enkelt',
        'En nøkkel i en header og JSON tilbake. Alt er beskrevet i OpenAPI, feil har faste koder, og dokumentasjonen er åpen for alle.',
      ],
    ],
    sampleTitle: 'Et oppdiktet foretak, slik et menneske kan lese det',
    whole: 'Se hele oppføringen',
    priceTitle: 'Ett år om gangen',
    included: [
      'Så mange oppslag du vil: de telles ikke. Spør mange samtidig, svares det etter tur, og et svar vi har, er alltid med én gang.',
      'Du betaler med Vipps og får nøkkelen på e-post i løpet av et minutt.',
      'Ingenting fornyes av seg selv. Du får varsel i god tid før året er omme.',
      'Er nøkkelen mistet eller kommet på avveie, bytter du den selv.',
      'Beløpet trekkes først når nøkkelen er sendt.',
    ],
    whyTitle: 'Hvorfor betale, når registrene er gratis?',
    why: 'Registrene svarer hver for seg, i hver sin form, og ikke alltid. Aksjonærene finnes bare som en fil i året. Her er alt lest, prøvd og satt sammen i ett svar som sier hva som er kjent og hva som ikke er det, fulgt til hver endring, og fremme på et millisekund.',
    perYear: 'for ett år',
    closed: 'Stengt',
    closedText: 'Salget er ikke åpent akkurat nå.',
  },
  en: {
    title: 'One look-up for every Norwegian company',
    lead: 'Who it is, who runs and owns it, what its accounts show and what has been announced. Assembled from the public registers in one answer, which says where each part comes from and what is missing.',
    searchHint: 'Invented companies are open to all: try "tindevag". Real ones need a key.',
    buy: 'Buy a key',
    buyFor: (price: string) => `Buy a key, ${price}`,
    example: 'See an example',
    callLabel: 'A call that works, and the beginning of its answer',
    whatTitle: 'What the answer is like',
    points: [
      [
        'Whole',
        'Basics, roles, who may sign, industry, accounts year by year, status, announcements, shareholders and ownership in several levels. One call, one answer.',
      ],
      [
        'Honest',
        'Each part has a source, a date and a state. A source that does not answer never becomes an empty list. A figure that is missing never becomes zero.',
      ],
      [
        'Fresh',
        'The changes of the registers are followed and shown within a minute. When a source fails you get the last good copy, marked as what it is.',
      ],
      [
        'Simple',
        'A key in a header, JSON back. All of it is described in OpenAPI, errors have stable codes, and the documentation is open to everybody.',
      ],
    ],
    sampleTitle: 'An invented company, as a person can read it',
    whole: 'See the whole record',
    priceTitle: 'One year at a time',
    included: [
      'As many look-ups as you like: they are not counted. When many ask at once they are answered in turn, and an answer we hold always comes at once.',
      'You pay with Vipps and have the key by mail within a minute.',
      'Nothing is renewed by itself. You are told in good time before the year is over.',
      'If the key is lost or has leaked, you replace it yourself.',
      'The money is taken only once the key has been sent.',
    ],
    whyTitle: 'Why pay, when the registers are free?',
    why: 'The registers answer one by one, each in its own form, and not always. Shareholders are only to be had as one file a year. Here all of it is read, checked and put together in one answer that says what is known and what is not, follows every change, and is there in a millisecond.',
    perYear: 'for one year',
    closed: 'Closed',
    closedText: 'Nothing is sold just now.',
  },
}
