import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type TypeScript from 'typescript-5'
import { describe, expect, it } from 'vitest'

// The compiler that has an interface for programs; what compiles by it is what compiles.
const ts: typeof TypeScript = createRequire(import.meta.url)('typescript-5')
const root = fileURLToPath(new URL('../..', import.meta.url))

/** What may be left out, and what that says then. */
const MAY_BE_LEFT_OUT = { formOf: 'a 200 is held against what is expected as the JSON it is' }

const SECTIONS = 'src/record/sections.ts'
const LISTS = ['src/sources/index.ts', 'src/sources/registers.ts', SECTIONS]

type Span = { from: number; to: number }
/** An object literal that is a descriptor by the type it is given: where a fault of it is told, and each property in it. */
type Descriptor = { file: string; kind: string; name: string; told: Span; lines: (Span & { path: string })[] }

describe('P80: a source, a register and a section of the record are one object each', () => {
  const found = [...globSync('src/sources/**/*.ts', { cwd: root }), SECTIONS].flatMap(descriptorsIn)

  it('which are all looked at', () => {
    const named = (kind: string) => found.filter((each) => each.kind === kind).length
    expect(named('section')).toBe(
      readFileSync(join(root, SECTIONS), 'utf8').match(/^ {2}section\(/gm)?.length,
    )
    expect(named('RegisterFacts')).toBe(4)
    // Two units share a maker, and so do two authorities and two archives.
    expect(named('Source')).toBeGreaterThanOrEqual(9)
    expect(found.flatMap(({ lines }) => lines).length).toBeGreaterThan(300)
  })

  it('P80: leaving out any line of one does not compile', () => {
    const compiler = openCompiler()
    expect(compiler.faults(new Map())).toEqual([])
    const unmissed: string[] = []
    const most = Math.max(...found.map(({ lines }) => lines.length))
    // One of each at a time, all descriptors at once: each is told of where it stands.
    for (let round = 0; round < most; round += 1) {
      const now = found.flatMap((each) => {
        const line = each.lines[round]
        return line === undefined || line.path in MAY_BE_LEFT_OUT ? [] : [{ ...each, line }]
      })
      const left = new Map<string, Span[]>()
      for (const { file, line } of now) left.set(file, [...(left.get(file) ?? []), line])
      const faults = compiler.faults(left)
      for (const { file, name, told, line } of now) {
        const isTold = faults.some(
          (fault) => fault.file === file && fault.at >= told.from && fault.at < told.to,
        )
        // Alone, where what it is missed by may stand elsewhere: in a list of them all.
        if (isTold || compiler.faults(new Map([[file, [line]]])).length > 0) continue
        unmissed.push(`${file} ${name}: ${line.path}`)
      }
    }
    expect(unmissed).toEqual([])
  }, 600_000)
})

function descriptorsIn(file: string): Descriptor[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  const descriptors: Descriptor[] = []
  const kindOf = (type: TypeScript.TypeNode | undefined) =>
    /^(Source|Asked|Kept|RegisterFacts)\b/.exec(type?.getText() ?? '')?.[1]
  const add = (
    kind: string | undefined,
    name: string,
    told: TypeScript.Node,
    node: TypeScript.Node | undefined,
  ) => {
    if (kind !== undefined && node !== undefined && ts.isObjectLiteralExpression(node))
      descriptors.push({
        file,
        kind,
        name,
        told: { from: told.getStart(), to: told.getEnd() },
        lines: linesOf(node, ''),
      })
  }
  const visit = (node: TypeScript.Node): void => {
    if (ts.isVariableDeclaration(node)) {
      const { initializer } = node
      add(kindOf(node.type), node.name.getText(), node, initializer)
      if (initializer !== undefined && ts.isSatisfiesExpression(initializer)) {
        const { expression, type } = initializer
        add(
          kindOf(type),
          node.name.getText(),
          node,
          ts.isAsExpression(expression) ? expression.expression : expression,
        )
      }
    }
    if (ts.isFunctionDeclaration(node))
      for (const statement of node.body?.statements ?? [])
        if (ts.isReturnStatement(statement))
          add(kindOf(node.type), node.name?.text ?? '', statement, statement.expression)
    if (ts.isCallExpression(node) && node.expression.getText() === 'section') {
      const [facts] = node.arguments
      add('section', /name: '(\w+)'/.exec(facts?.getText() ?? '')?.[1] ?? '', node, facts)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return descriptors
}

function linesOf(object: TypeScript.ObjectLiteralExpression, above: string): Descriptor['lines'] {
  return object.properties.flatMap((property, index) => {
    // What is spread into it are another object's lines.
    if (ts.isSpreadAssignment(property)) return []
    const path = above + property.name.getText()
    const to = object.properties[index + 1]?.getStart() ?? object.getEnd() - 1
    const line = { path, from: property.getStart(), to }
    // Shapes that have names are a list of their own: each is one more, and none is owed.
    if (!ts.isPropertyAssignment(property) || path === 'names') return [line]
    const { initializer } = property
    return ts.isObjectLiteralExpression(initializer) ? [line, ...linesOf(initializer, `${path}.`)] : [line]
  })
}

/** The project as the compiler sees it, in which some places of some files are blank: everything else keeps its own. */
function openCompiler() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root)
  const host = ts.createCompilerHost({ ...options, incremental: false, tsBuildInfoFile: undefined } as never)
  const readFrom = host.getSourceFile.bind(host)
  const unchanged = new Map<string, TypeScript.SourceFile | undefined>()
  let blank: ReadonlyMap<string, readonly Span[]> = new Map()
  let before: TypeScript.Program | undefined
  host.getSourceFile = (path, ...how) => {
    const spans = blank.get(path.slice(root.length))
    if (spans === undefined) {
      if (!unchanged.has(path)) unchanged.set(path, readFrom(path, ...how))
      return unchanged.get(path)
    }
    let text = readFileSync(path, 'utf8')
    for (const { from, to } of spans)
      text = text.slice(0, from) + text.slice(from, to).replace(/[^\n]/g, ' ') + text.slice(to)
    return ts.createSourceFile(path, text, how[0], true)
  }
  const { incremental: _, tsBuildInfoFile: __, ...plain } = options
  return {
    faults(left: ReadonlyMap<string, readonly Span[]>): { file: string; at: number; why: string }[] {
      blank = left
      const program = ts.createProgram({
        rootNames: LISTS.map((file) => join(root, file)),
        options: plain,
        host,
        ...(before && { oldProgram: before }),
      })
      before = program
      return [...new Set([...left.keys(), ...LISTS])].flatMap((file) => {
        const source = program.getSourceFile(join(root, file))
        return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
          ({ start = 0, messageText }) => ({
            file,
            at: start,
            why: ts.flattenDiagnosticMessageText(messageText, ' '),
          }),
        )
      })
    },
  }
}
