import { resolve } from "node:path";
import { readSettings } from "../platform/config/index.ts";
import {
  createSampleInvoice,
  type LocalEnvironmentOptions,
  startLocalEnvironment,
  writeLocalSettings,
} from "./dev-environment.ts";

type DevOptions = Omit<LocalEnvironmentOptions, "dataDir" | "durable" | "reconciles" | "ports">;

/** The ports of `npm start`; free ones where they are taken. */
const PORTS = { relay: 4000, collectionService: 4001, sns: 4002, postgres: 4003 };

/** `npm start`: everything on this machine, kept in DATA_DIR, with an invoice to pay. */
export async function startDev(options: DevOptions) {
  const { PORT = String(PORTS.relay), DATA_DIR } = options.environment;
  const given = readSettings({ PORT, DATA_DIR });
  const dataDir = resolve(given.DATA_DIR);
  const local = await startLocalEnvironment({
    ...options,
    dataDir,
    durable: true,
    reconciles: true,
    ports: { ...PORTS, relay: given.PORT },
  });
  try {
    const settingsFile = await writeLocalSettings(dataDir, local.environment);
    return { local, dataDir, settingsFile, sample: await createSampleInvoice(local) };
  } catch (error) {
    await local.stop();
    throw error;
  }
}

export type RunningDev = Awaited<ReturnType<typeof startDev>>;
