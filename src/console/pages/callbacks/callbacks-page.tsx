import type { PageProps } from "../pages.ts";
import { CallbackDetail } from "./callback-detail.tsx";
import { CallbackList } from "./callback-list.tsx";

/** The log, or one callback of it. */
export function CallbacksPage({ rest: [id] }: PageProps) {
  return id === undefined ? <CallbackList /> : <CallbackDetail id={id} key={id} />;
}
