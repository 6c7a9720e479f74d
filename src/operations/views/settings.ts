import type { SettingsShown } from "../list/operation.ts";
import { listOf, type Rows, state, text, type View, words } from "./view.ts";

const DONE: Rows<{ does: string; isOn: boolean }> = {
  one: "part",
  columns: [
    text("Task", "does", { phone: "lead" }),
    state("State", ({ isOn }) => (isOn ? "on" : "off"), { phone: "side" }),
  ],
};

const RECONCILED = { on: null, none: "by COLLECTION_IDS=none", unset: "COLLECTION_IDS is not set" } as const;

const SOURCES: Rows<SettingsShown["sources"][number]> = {
  one: "source",
  columns: [
    text("Source", "name", { phone: "lead" }),
    text("Provider", "providerUrl"),
    state("Reconciled", ({ reconciliation }) => (reconciliation === "on" ? "on" : "off"), {
      note: ({ reconciliation }) => RECONCILED[reconciliation],
      phone: "side",
    }),
    text("Collections", ({ collectionIds }) => collectionIds.join(" "), { isLong: true }),
    text("Topic", "topicArn", { isLong: true }),
    text("Topic of Test invoices", ({ testTopicArn }) => testTopicArn ?? "none: they are held"),
  ],
};

const SETTINGS: Rows<SettingsShown["settings"][number]> = {
  one: "setting",
  columns: [
    words("Setting", ({ name }) => `\`${name}\``, { phone: "lead" }),
    text("Value", "value", { note: ({ given }) => (given ? "set" : null) }),
    words("Purpose", "about", { isLong: true }),
  ],
};

const partsOf = ({ on, off }: SettingsShown) => [
  ...on.map((does) => ({ does, isOn: true })),
  ...off.map((does) => ({ does, isOn: false })),
];

export const ON_AND_OFF: View<SettingsShown> = { lists: [listOf(partsOf, DONE, "On and off")] };
export const SETTINGS_SHOWN: View<SettingsShown> = {
  lists: [listOf("sources", SOURCES, "Sources"), listOf("settings", SETTINGS, "All settings")],
};
