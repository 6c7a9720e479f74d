import { computed, signal } from "@preact/signals";
import { remember, remembered } from "./remembered.ts";

/** Whether times are shown in UTC; else in the viewer's own zone. */
export const inUtc = signal(false);

const own = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The IANA name of the zone that times are shown in. */
export const zone = computed(() => (inUtc.value ? "UTC" : own));

export function startZone(): void {
  inUtc.value = remembered("zone") === "utc";
}

export function switchZone(): void {
  inUtc.value = !inUtc.value;
  remember("zone", inUtc.value ? "utc" : "own");
}
