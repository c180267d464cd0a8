import type { SnapshotChannel } from "@/lib/snapshot/store";
import { mapModel } from "./map-model";

type Mapping = Pick<SnapshotChannel, "modelMapping" | "setting">;

/** Whether a channel gets bodies as the client sent them, model and all. */
export function isPassedThrough({ setting }: Mapping, passThrough: boolean): boolean {
  return passThrough || setting.passThroughBody;
}

/** The name under which a channel's upstream is asked for a model. Null when the channel's mapping is circular. */
export function upstreamModelOf(model: string, channel: Mapping, passThrough: boolean): string | null {
  return isPassedThrough(channel, passThrough) ? model : mapModel(model, channel.modelMapping);
}
