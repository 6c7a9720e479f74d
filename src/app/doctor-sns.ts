import type { Destination } from "../destination/destination.ts";
import type { Check } from "./check.ts";

/** The topic is there, in the region, signs as consumers want it, and somebody is subscribed. */
export async function checkSnsTopic(
  destination: Destination,
  arn: string,
  about: string,
  awsRegion: string,
): Promise<Check> {
  const [, , , region = ""] = arn.split(":");
  if (region !== awsRegion) {
    const says = `${arn} is in ${region}, and AWS_REGION is ${awsRegion}. They must be the same`;
    return { about, state: "fault", says };
  }
  const found = await destination.describe(arn);
  destination.close();
  switch (found.kind) {
    case "there":
      if (found.signatureVersion !== "2")
        return {
          about,
          state: "warning",
          says:
            `${arn} signs its messages with SHA-1, which consumers refuse. Set the topic's ` +
            "SignatureVersion to 2",
        };
      return found.subscriptions > 0
        ? { about, state: "ok", says: `${arn}, subscribed to by ${found.subscriptions}` }
        : { about, state: "warning", says: `${arn} is there, and nobody is subscribed to it` };
    case "not_allowed":
      return {
        about,
        state: "warning",
        says:
          `${arn} could not be looked at: these credentials lack sns:GetTopicAttributes. Whether they may ` +
          "publish (sns:Publish) shows with the first event",
      };
    case "fault":
      return {
        about,
        state: "fault",
        says: `${arn}: ${found.error}. Check the topic, AWS_REGION and the AWS credentials`,
        away: found.away,
      };
  }
}
