type Bounds = {
  readonly connectionsMax: number
  readonly connectionsPerNetworkMax: number
  readonly connectionsAtEaseMax: number
}

/** For registers, stores and files. */
const KEPT = 256

/**
 * A connection is a descriptor, and where a process may have few (`ulimit -n`, a container's limit) strangers' connections would take
 * those that registers, stores and the log are opened with. The shares stay what they are among each other.
 *
 * @param descriptorsMax what the process may have open; Infinity where the system does not say
 * @param servers of the process, each with as many
 */
export function withinDescriptors<B extends Bounds>(bounds: B, descriptorsMax: number, servers: number): B {
  const most = Math.max(2, Math.floor((descriptorsMax - KEPT) / servers))
  if (most >= bounds.connectionsMax) return bounds
  const part = (of: number) => Math.ceil((of * most) / bounds.connectionsMax)
  return {
    ...bounds,
    connectionsMax: most,
    connectionsPerNetworkMax: part(bounds.connectionsPerNetworkMax),
    connectionsAtEaseMax: part(bounds.connectionsAtEaseMax),
  }
}

/** Of this process, as the system has it now: Node takes all it may have when it starts. */
export function descriptorsOfProcess(): number {
  // Names of hosts are not asked for.
  const report = Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY
}
