import { z } from "zod";
import type { SettingsShown } from "../console/admin-api/settings-schemas.ts";
import { programVersion } from "../kit/program-version.ts";
import { Secret } from "../kit/secret.ts";
import { duration, durationText } from "../kit/setting-formats.ts";
import { type ServeSettings, type SettingName, settingsSchema } from "../kit/settings.ts";
import type { Source } from "../kit/source.ts";
import { callbackUrl, callbackUrlWarnings } from "./callback-url.ts";
import { whatIsOn } from "./what-is-on.ts";

/**
 * What the settings say, for a person to look at. It holds no secret, except callback URLs if `withTokens` is
 * set.
 */
export function settingsShown(
  settings: ServeSettings,
  sources: readonly Source[],
  withTokens: boolean,
): SettingsShown {
  return {
    version: programVersion(),
    ...whatIsOn(settings, sources),
    callbackUrls: sources.map(({ name, callbackTokens: [token] }) => {
      const url = callbackUrl(settings.PUBLIC_URL, token?.reveal() ?? "");
      const shown = withTokens ? url : callbackUrl(settings.PUBLIC_URL, "***");
      return { source: name, url: shown, warnings: callbackUrlWarnings(url) };
    }),
    sources: sources.map((source) => ({
      name: source.name,
      providerUrl: source.collectionApiUrl,
      collectionIds: [...source.collectionIds],
      reconciliation: source.reconciliation,
      topicArn: source.snsTopicArn,
      testTopicArn: source.snsTestTopicArn,
    })),
    replayTopicArns: [...(settings.REPLAY_TOPIC_ARNS ?? [])],
    settings: (Object.keys(settingsSchema.shape) as SettingName[]).map((name) => ({
      name,
      about: settingsSchema.shape[name].description ?? "",
      value: shown(settings[name], isDuration(settingsSchema.shape[name])),
      given: settings.given.includes(name),
    })),
  };
}

const MASKED = "***";

/** A default and limits stand around the format. */
function isDuration(schema: z.core.$ZodType): boolean {
  if (schema === duration) return true;
  if (schema instanceof z.ZodPipe) return isDuration(schema.in) || isDuration(schema.out);
  return schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional
    ? isDuration(schema.def.innerType)
    : false;
}

/** A value as it is written in a settings file; null when there is none. */
function shown(value: unknown, isMs: boolean): string | null {
  if (value === undefined || value === null) return null;
  if (isMs) return durationText(Number(value));
  if (holdsSecret(value)) return MASKED;
  if (Array.isArray(value)) return value.map(String).join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const holdsSecret = (value: unknown): boolean =>
  value instanceof Secret ||
  (typeof value === "object" && value !== null && Object.values(value).some(holdsSecret));
