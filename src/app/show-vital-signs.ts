import { ALARM_NAMES } from "../database/alarms.ts";
import type { Metrics } from "../kit/metrics.ts";
import type { VitalSigns } from "../operate/vital-signs.ts";
import type { UpstreamStanding } from "../upstreams/list-upstreams.ts";
import { STATES } from "../upstreams/machine.ts";

/** Sets the gauges to what was counted in Postgres; they keep it until the next time. */
export function showVitalSigns(metrics: Metrics, signs: VitalSigns): void {
  showBacklog(metrics, signs);
  const open = new Map(signs.alarms.map(({ name, count }) => [name, count]));
  for (const alarm of ALARM_NAMES) metrics.alarmsOpen.set({ alarm }, open.get(alarm) ?? 0);
  metrics.upstreams.reset();
  showUpstreams(metrics, "confirm", signs.sources);
  showUpstreams(metrics, "publish", signs.topics);
  showProofs(metrics, signs);
}

function showBacklog(metrics: Metrics, { backlog, dead, quarantined }: VitalSigns): void {
  const { oldestConfirmationSeconds, oldestEventSeconds, confirmations, outbox } = metrics;
  confirmations.reset();
  outbox.reset();
  oldestConfirmationSeconds.set(backlog.oldestConfirmationSeconds);
  oldestEventSeconds.set(backlog.oldestEventSeconds);
  for (const { state, verdict, count } of backlog.confirmations)
    confirmations.set({ state, verdict: verdict ?? "none" }, count);
  for (const { state, count } of backlog.outbox) outbox.set({ state }, count);
  metrics.dead.set({ kind: "confirmation" }, dead.confirmation);
  metrics.dead.set({ kind: "event" }, dead.event);
  metrics.quarantined.set(quarantined);
}

function showUpstreams(metrics: Metrics, work: string, standings: readonly UpstreamStanding[]): void {
  for (const { name: upstream, state: actual } of standings)
    for (const state of STATES) metrics.upstreams.set({ work, upstream, state }, state === actual ? 1 : 0);
}

function showProofs({ lastSweep, lastCertificate }: Metrics, { sweeps, certificates }: VitalSigns): void {
  lastSweep.reset();
  lastCertificate.reset();
  const oldest = new Map<string, number>();
  for (const { source, finishedAt } of sweeps) {
    const at = finishedAt === null ? 0 : finishedAt.getTime() / 1_000;
    oldest.set(source, Math.min(oldest.get(source) ?? at, at));
  }
  for (const [source, at] of oldest) lastSweep.set({ source }, at);
  for (const { source, result, finishedAt } of certificates)
    lastCertificate.set({ source, result }, finishedAt.getTime() / 1_000);
}
