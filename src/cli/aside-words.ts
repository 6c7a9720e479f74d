import type { AsideAction, AsideResult } from "../replay/act-on-aside.ts";
import type { AsideList } from "../replay/set-aside.ts";

/** Acts on what was selected. */
export type AsideRun = (action: AsideAction) => Promise<AsideResult>;

/** How one kind of what is set aside is called and acted on. */
export interface AsideWords {
  list: AsideList;
  description: string;
  /** Said when the list is empty. */
  none: string;
  what: [one: string, many: string];
  /** What brings an item back. */
  act: { name: string; description: string; done: string; run: AsideRun };
  dismiss: AsideRun;
}
