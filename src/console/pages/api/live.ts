import { signal } from "@preact/signals";
import type { Activity, Happening } from "../api/types.ts";
import { readSession } from "./session.ts";
import type { Status } from "./types.ts";

/** connecting: not yet; live; lost: tried again by itself. */
export const connection = signal<"connecting" | "live" | "lost">("connecting");

/** The newest of each, as the relay sends them every few seconds. */
export const liveStatus = signal<Status | null>(null);
export const liveActivity = signal<Activity | null>(null);
/** The newest first; what came since the console was opened. */
export const happenings = signal<readonly Happening[]>([]);
const KEPT_LIMIT = 50;

/**
 * When `lost` is followed by a connection attempt of our own, in ms: a refused one ends an EventSource for
 * good.
 */
const AGAIN_MS = 4_000;

/** Listens until `stop` is called. */
export function listen(): () => void {
  let source: EventSource | null = null;
  let again: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    source = new EventSource("/admin/v1/live");
    source.addEventListener("open", () => {
      connection.value = "live";
    });
    const on = <Data>(name: string, take: (data: Data) => void) =>
      source?.addEventListener(name, ({ data }: MessageEvent<string>) => take(JSON.parse(data) as Data));
    on<Status>("status", (status) => (liveStatus.value = status));
    on<Activity>("activity", (activity) => (liveActivity.value = activity));
    on<Happening>("payment", (payment) => {
      happenings.value = [payment, ...happenings.value].slice(0, KEPT_LIMIT);
    });
    source.addEventListener("error", () => {
      connection.value = "lost";
      void readSession();
      if (source?.readyState !== EventSource.CLOSED) return;
      clearTimeout(again);
      again = setTimeout(open, AGAIN_MS);
    });
  };
  open();
  return () => {
    clearTimeout(again);
    source?.close();
    connection.value = "connecting";
    liveStatus.value = null;
    liveActivity.value = null;
    happenings.value = [];
  };
}
