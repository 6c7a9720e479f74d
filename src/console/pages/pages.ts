import type { ComponentType } from "preact";
import { AttentionPage } from "./attention/attention-page.tsx";
import { CallbacksPage } from "./callbacks/callbacks-page.tsx";
import { CompletenessPage } from "./completeness/completeness-page.tsx";
import { NowPage } from "./now/now-page.tsx";
import type { IconName } from "./parts/icon.tsx";
import { PaymentsPage } from "./payments/payments-page.tsx";
import { ReplaysPage } from "./replays/replays-page.tsx";
import { SettingsPage } from "./settings/settings-page.tsx";

export interface Page {
  /** Its first path segment below `/console/`; "" is where one arrives. */
  path: string;
  title: string;
  /** With `g` before it, this key goes there. */
  key: string;
  icon: IconName;
  /** The operation of the admin API without which there is nothing to see here. */
  needs: string;
  /** `rest`: what follows its own path: `["<id>"]` for `/console/payments/<id>`. */
  component: ComponentType<{ rest: readonly string[] }>;
}

/** Every page, in the order of the navigation. A new page registers itself here and nowhere else. */
export const PAGES: readonly Page[] = [
  { path: "", title: "Now", key: "n", icon: "pulse", needs: "readStatus", component: NowPage },
  {
    path: "payments",
    title: "Payments",
    key: "p",
    icon: "payment",
    needs: "listInvoices",
    component: PaymentsPage,
  },
  {
    path: "callbacks",
    title: "Callbacks",
    key: "c",
    icon: "inbox",
    needs: "listCallbacks",
    component: CallbacksPage,
  },
  {
    path: "attention",
    title: "Attention",
    key: "a",
    icon: "flag",
    needs: "listDead",
    component: AttentionPage,
  },
  {
    path: "completeness",
    title: "Completeness",
    key: "k",
    icon: "calendar",
    needs: "readCalendar",
    component: CompletenessPage,
  },
  {
    path: "replays",
    title: "Replays",
    key: "r",
    icon: "replay",
    needs: "listReplays",
    component: ReplaysPage,
  },
  {
    path: "settings",
    title: "Settings & audit",
    key: "s",
    icon: "dials",
    needs: "readSettings",
    component: SettingsPage,
  },
];
