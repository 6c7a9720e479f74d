import type { PageProps } from "../pages.ts";
import { NewReplay } from "./new-replay.tsx";
import { ReplayList } from "./replay-list.tsx";
import { ReplayShown } from "./replay-shown.tsx";

/** What ran or runs again from the log, and the way to begin. */
export function ReplaysPage({ rest: [which] }: PageProps) {
  if (which === undefined) return <ReplayList />;
  return which === "new" ? <NewReplay /> : <ReplayShown key={which} id={which} />;
}
