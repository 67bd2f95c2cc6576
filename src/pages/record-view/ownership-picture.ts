import { curveBumpY, line } from 'd3-shape'
import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { LinkTo } from './link-to.ts'
import type { Graph, OwnershipNode } from './ownership-graph.ts'
import { type DrawnEdge, layOut } from './ownership-layout.ts'
import { orgnrText, percentText } from './wording.ts'

/** The owners above and the holdings below, for a screen that is wide enough. Colours and type are the style sheet's. */
export function ownershipPicture(graph: Graph, language: Language, label: string, linkTo: LinkTo): string {
  const { width, height, boxes, lines } = layOut(graph)
  const path = line().curve(curveBumpY)
  return html`<svg class="eierbilde!${width > SHRUNK_MAX ? ' eierbilde--bred' : ''}" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}" role="${roleOf(graph, linkTo)}" aria-label="${label}">
!${lines.map(({ points }) => html`<path class="eierbilde__linje" d="${path([...points]) ?? ''}"/>`)}
!${boxes.map(({ node, box }) => {
    const [first, second] = textOf(node, language)
    const drawn = html`<g class="eierbilde__boks eierbilde__boks--${node.kind}" transform="translate(${round(box.x)} ${round(box.y)})">
<rect width="${box.width}" height="${box.height}" rx="8"/>
<text class="eierbilde__navn" x="14" y="26"!${squeezed(shortened(first, 24), box.width - 28)}>${shortened(first, 24)}</text>
<text class="eierbilde__om" x="14" y="46">${shortened(second, 30)}</text>
</g>`
    return led(node, drawn, linkTo)
  })}
!${lines.map((each) => share(each, language))}
</svg>`
}

/** A picture wider than this is not made to fit, since its words could not be read: it is scrolled. */
const SHRUNK_MAX = 1320

/** The number stands where its line has a box of its own, on the side the line bends away from. */
function share({ points, percent, isHolding, freeSide }: DrawnEdge, language: Language): string {
  const [end, next] = isHolding ? [points.at(-1), points.at(-2)] : [points[0], points[1]]
  const [x = 0, y = 0] = end ?? []
  const isBefore = freeSide === null ? (next?.[0] ?? x) > x + 1 : freeSide === 'left'
  const text = percent === null ? '?' : percentText(percent, language)
  return html`<text class="eierbilde__andel!${isBefore ? ' eierbilde__andel--foran' : ''}" x="${round(isBefore ? x - 7 : x + 7)}" y="${round(isHolding ? y - 8 : y + 18)}">${text}</text>`
}

/** The same for a narrow screen: who owns whom is told by how far in a line begins. */
export function ownershipOutline(graph: Graph, language: Language, label: string, linkTo: LinkTo): string {
  const rows = outline(graph, language)
  const height = rows.length * ROW + 4
  return html`<svg class="eierliste" viewBox="0 0 ${OUTLINE_WIDTH} ${height}" role="${roleOf(graph, linkTo)}" aria-label="${label}">
!${rows.map((row, index) => {
    const y = index * ROW + 2
    if (row.kind === 'heading')
      return html`<text class="eierbilde__om" x="${INDENT + 2}" y="${y + ROW / 2 + 6}">${row.text}</text>`
    const x = row.depth * INDENT + 1
    const above = rows.findLastIndex(
      (each, at) => at < index && each.kind === 'box' && each.depth < row.depth,
    )
    const elbow =
      row.depth === 0 || above === -1
        ? ''
        : html`<path class="eierbilde__linje" d="M${x - INDENT / 2} ${above * ROW + ROW - 4}V${y + (ROW - 6) / 2}H${x}"/>`
    const name = shortened(textOf(row.node, language)[0], 25 - row.depth * 2)
    const nameWidth = OUTLINE_WIDTH - x - (row.percent === null ? 22 : 72)
    const drawn = html`<g class="eierbilde__boks eierbilde__boks--${row.node.kind}" transform="translate(${x} ${y})">
<rect width="${OUTLINE_WIDTH - x - 1}" height="${ROW - 6}" rx="6"/>
<text class="eierbilde__navn" x="10" y="24"!${squeezed(name, nameWidth)}>${name}</text>
<text class="eierbilde__prosent" x="${OUTLINE_WIDTH - x - 11}" y="24">${row.percent === null ? '' : percentText(row.percent, language)}</text>
</g>`
    return html`!${elbow}!${led(row.node, drawn, linkTo)}`
  })}
</svg>`
}

/** What is drawn of a company leads to its own page; the one the page is about leads nowhere. */
function led({ kind, organisationNumber }: OwnershipNode, drawn: string, linkTo: LinkTo): string {
  const address = kind === 'self' || organisationNumber === null ? null : linkTo(organisationNumber)
  return address === null ? drawn : html`<a href="${address}">!${drawn}</a>`
}

/** A picture with links in it is no image to those who do not see it: they are to find the links. */
function roleOf({ nodes }: Graph, linkTo: LinkTo): 'img' | 'group' {
  const leads = nodes.some(
    ({ kind, organisationNumber }) =>
      kind !== 'self' && organisationNumber !== null && linkTo(organisationNumber) !== null,
  )
  return leads ? 'group' : 'img'
}

const OUTLINE_WIDTH = 340
const ROW = 44
const INDENT = 20
/** An owner at several levels is drawn at each of them; a circle would be drawn for ever. */
const OUTLINE_DEPTH_MAX = 4

type Row =
  | { kind: 'heading'; text: string }
  | { kind: 'box'; node: OwnershipNode; depth: number; percent: number | null }

function outline({ nodes, edges }: Graph, language: Language): Row[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const ownersOf = (id: string, depth: number): Row[] =>
    depth > OUTLINE_DEPTH_MAX
      ? []
      : edges.flatMap(({ owner, owned, percent }) => {
          const node = byId.get(owner)
          return owned === id && node !== undefined && node.row > 0
            ? [{ kind: 'box' as const, node, depth, percent }, ...ownersOf(owner, depth + 1)]
            : []
        })
  const self = nodes.flatMap((node) =>
    node.row === 0 ? [{ kind: 'box' as const, node, depth: 0, percent: null }] : [],
  )
  const holdings = edges.flatMap(({ owned, percent }) => {
    const node = byId.get(owned)
    return node !== undefined && node.row < 0 ? [{ kind: 'box' as const, node, depth: 0, percent }] : []
  })
  const owners = ownersOf(self[0]?.node.id ?? '', 1)
  const t = words[language]
  return [
    ...self,
    ...(owners.length === 0 ? [] : [{ kind: 'heading' as const, text: t.ownedBy }, ...owners]),
    ...(holdings.length === 0 ? [] : [{ kind: 'heading' as const, text: t.owns }, ...holdings]),
  ]
}

function textOf(node: OwnershipNode, language: Language): [string, string] {
  const t = words[language]
  const effective =
    node.effectivePercent === null ? null : `${percentText(node.effectivePercent, language)} ${t.inAll}`
  switch (node.kind) {
    case 'self':
      return [node.name ?? '', orgnrText(node.organisationNumber ?? '')]
    case 'others':
      return [t.others, effective ?? '']
    case 'person':
      return [node.name ?? t.hidden, [t.born(node.birthYear), effective].filter(Boolean).join(' · ')]
    default:
      return [
        node.name ?? t.unknown,
        effective ?? (node.organisationNumber === null ? '' : orgnrText(node.organisationNumber)),
      ]
  }
}

function shortened(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).trimEnd()}…`
}

/** Names of the register are in capitals, which are wide: one that would leave its box is set closer. */
function squeezed(text: string, width: number): string {
  const capitals = text.match(/\p{Lu}/gu)?.length ?? 0
  const isTooWide = capitals * CAPITAL_WIDTH + (text.length - capitals) * LETTER_WIDTH > width
  return isTooWide ? html` textLength="${width}" lengthAdjust="spacingAndGlyphs"` : ''
}

const CAPITAL_WIDTH = 9.9
const LETTER_WIDTH = 7.2

function round(value: number): number {
  return Math.round(value * 10) / 10
}

const words = {
  nb: {
    others: 'Øvrige aksjonærer',
    inAll: 'i alt',
    hidden: 'Vises ikke',
    unknown: 'Ukjent',
    ownedBy: 'Eies av',
    owns: 'Eier',
    born: (year: number | null) => (year === null ? '' : `f. ${year}`),
  },
  en: {
    others: 'Other shareholders',
    inAll: 'in all',
    hidden: 'Not shown',
    unknown: 'Unknown',
    ownedBy: 'Owned by',
    owns: 'Owns',
    born: (year: number | null) => (year === null ? '' : `b. ${year}`),
  },
}
