import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'

export type Expression = {
  /** The first place that is no PromQL, with what stands there; null when all of it is. */
  fault: string | null
  /** Each series asked for, with the labels it is chosen by. */
  series: { name: string; labels: { name: string; values: readonly string[] }[] }[]
  /** Labels of by, without, on and group_left. */
  grouping: string[]
}

/** Reads one expression with Prometheus' own grammar. Grafana's variables stand for a range. */
export function readPromql(text: string): Expression {
  const expression = text.replaceAll('$__rate_interval', '5m')
  const read: Expression = { fault: null, series: [], grouping: [] }
  parser.parse(expression).iterate({
    enter({ type, from, to, node }) {
      if (type.isError) read.fault ??= `${from}: ${expression.slice(from, to + 20)}`
      if (type.name === 'VectorSelector') read.series.push(seriesOf(expression, node))
      if (type.name === 'GroupingLabels') read.grouping.push(...texts(expression, node, 'LabelName'))
    },
  })
  return read
}

function seriesOf(expression: string, selector: SyntaxNode): Expression['series'][number] {
  const matchers = selector.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []
  return {
    name: texts(expression, selector, 'Identifier')[0] ?? '',
    labels: matchers.map((matcher) => ({
      name: texts(expression, matcher, 'LabelName')[0] ?? '',
      values: (texts(expression, matcher, 'StringLiteral')[0] ?? '').slice(1, -1).split('|'),
    })),
  }
}

function texts(expression: string, node: SyntaxNode, name: string): string[] {
  return node.getChildren(name).map(({ from, to }) => expression.slice(from, to))
}
