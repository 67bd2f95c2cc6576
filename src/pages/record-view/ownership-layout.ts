import type { Graph, OwnershipNode } from './ownership-graph.ts'

type Box = { x: number; y: number; width: number; height: number }
export type Placed = {
  width: number
  height: number
  boxes: readonly { node: OwnershipNode; box: Box }[]
  /**
   * From the owner's lower edge to the owned's upper one; the points between lie in gaps of the rows passed. `isHolding`: of
   * the company itself, so that it is at its lower end that it has room for a number.
   */
  lines: readonly DrawnEdge[]
}

export type DrawnEdge = {
  points: readonly [number, number][]
  percent: number | null
  isHolding: boolean
  /** Of several that leave a box beside each other the outer sides are free. */
  freeSide: 'left' | 'right' | null
}

const BOX = { width: 212, height: 62 }
const GAP = { across: 24, down: 62 }
/** The room a line gets where it passes a row. */
const PASSAGE = 20
const EDGE = 4

/** One place in a row: a box, or a line on its way through. */
type Place = { node: OwnershipNode | null; edge: number | null; width: number; x: number }

/**
 * Rows of boxes, owners above. Each row is ordered by what lies below it, so that lines cross as little as is easily had; a
 * line over several rows gets a place of its own in each (Sugiyama's way, without its refinements).
 */
export function layOut({ nodes, edges }: Graph): Placed {
  const rowOf = new Map(nodes.map(({ id, row }) => [id, row]))
  const top = Math.max(...nodes.map(({ row }) => row))
  const bottom = Math.min(...nodes.map(({ row }) => row))
  const rows = new Map<number, Place[]>()
  for (let row = top; row >= bottom; row -= 1) rows.set(row, placesIn(row))

  function placesIn(row: number): Place[] {
    const boxes = nodes.flatMap((node) =>
      node.row === row ? [{ node, edge: null, width: BOX.width, x: 0 }] : [],
    )
    const passing = edges.flatMap(({ owner, owned }, index) => {
      const isPassing = (rowOf.get(owner) ?? 0) > row && (rowOf.get(owned) ?? 0) < row
      return isPassing ? [{ node: null, edge: index, width: PASSAGE, x: 0 }] : []
    })
    return [...boxes, ...passing]
  }

  const widthOf = (places: readonly Place[]) =>
    places.reduce((sum, { width }) => sum + width, 0) + GAP.across * Math.max(0, places.length - 1)
  const width = Math.max(...[...rows.values()].map(widthOf)) + 2 * EDGE

  function spread(places: Place[]): void {
    let x = (width - widthOf(places)) / 2
    for (const place of places) {
      place.x = x + place.width / 2
      x += place.width + GAP.across
    }
  }

  /** A row that is shorter than the widest lies over what it owns, as far as there is room. */
  function centre(places: Place[], row: number): void {
    const boxes = places.filter(({ node }) => node !== null)
    const away =
      boxes.reduce((sum, place) => sum + pull(place, row, 0) - place.x, 0) / Math.max(1, boxes.length)
    const room = (width - 2 * EDGE - widthOf(places)) / 2
    const shift = Math.max(-room, Math.min(room, away))
    for (const place of places) place.x += shift
  }

  function center(row: number, id: string, edge: number): number {
    const place = rows.get(row)?.find((each) => each.node?.id === id || each.edge === edge)
    return place?.x ?? width / 2
  }

  /** Where the things below lie that a place leads to. */
  function pull(place: Place, row: number, index: number): number {
    const below = edges.flatMap(({ owner, owned }, edge) => {
      const isMine = place.edge === edge || place.node?.id === owner
      return isMine ? [center(row - 1, owned, edge)] : []
    })
    if (below.length === 0) return width / 2 + index
    const mean = below.reduce((sum, x) => sum + x, 0) / below.length
    // A line that passes goes outside: the boxes of the row belong together.
    return place.edge === null ? mean : mean + width
  }

  spread(rows.get(0) ?? [])
  for (let row = 1; row <= top; row += 1) {
    const places = rows.get(row) ?? []
    const order = new Map(places.map((place, index) => [place, pull(place, row, index)]))
    places.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
    spread(places)
    centre(places, row)
  }
  for (let row = -1; row >= bottom; row -= 1) spread(rows.get(row) ?? [])

  const yOf = (row: number) => EDGE + (top - row) * (BOX.height + GAP.down)
  const boxes = [...rows].flatMap(([row, places]) =>
    places.flatMap(({ node, x }) =>
      node === null ? [] : [{ node, box: { ...BOX, x: x - BOX.width / 2, y: yOf(row) } }],
    ),
  )
  return {
    width,
    height: yOf(bottom) + BOX.height + EDGE,
    boxes,
    lines: edges.map(({ owner, owned, percent }, edge) => {
      const from = rowOf.get(owner) ?? 0
      const to = rowOf.get(owned) ?? 0
      const leaving = edges.flatMap((each, index) => (each.owner === owner ? [index] : []))
      const arriving = edges.flatMap((each, index) => (each.owned === owned ? [index] : []))
      const points: [number, number][] = [
        [center(from, owner, -1) + port(leaving, edge, (index) => endOf(index)), yOf(from) + BOX.height],
      ]
      for (let row = from - 1; row > to; row -= 1) {
        const x = center(row, '', edge)
        points.push([x, yOf(row)], [x, yOf(row) + BOX.height])
      }
      points.push([center(to, owned, -1) + port(arriving, edge, (index) => startOf(index)), yOf(to)])
      const place = points[0]?.[0] ?? 0
      const isAlone = leaving.length === 1 || from === 0
      const freeSide = isAlone ? null : place < center(from, owner, -1) ? 'left' : 'right'
      return { points, percent, isHolding: from === 0, freeSide }
    }),
  }

  /** Where a line's next stop lies across: lines that share a box leave it in the order of where they go. */
  function endOf(edge: number): number {
    const { owner = '', owned = '' } = edges[edge] ?? {}
    return center((rowOf.get(owner) ?? 0) - 1, owned, edge)
  }

  function startOf(edge: number): number {
    const { owner = '', owned = '' } = edges[edge] ?? {}
    return center((rowOf.get(owned) ?? 0) + 1, owner, edge)
  }
}

function port(sharing: readonly number[], edge: number, across: (edge: number) => number): number {
  const order = sharing.toSorted((a, b) => across(a) - across(b) || a - b)
  const step = Math.min(56, (BOX.width - 48) / Math.max(1, sharing.length - 1))
  return (order.indexOf(edge) - (sharing.length - 1) / 2) * step
}
