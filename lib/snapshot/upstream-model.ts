import type { SnapshotChannel } from "./store";

type Mapping = Pick<SnapshotChannel, "modelMapping" | "setting">;

/** Whether a channel gets bodies as the client sent them, model and all. */
export function isPassedThrough({ setting }: Mapping, passThrough: boolean): boolean {
  return passThrough || setting.passThroughBody;
}

/** The name under which a channel's upstream is asked for a model. Null when the channel's mapping is circular. */
export function upstreamModelOf(model: string, channel: Mapping, passThrough: boolean): string | null {
  return isPassedThrough(channel, passThrough) ? model : mapModel(model, channel.modelMapping);
}

/**
 * The upstream's name of a model. Follows the mapping until a name has no entry or maps to itself. Null when the
 * mapping is circular.
 */
export function mapModel(model: string, mapping: ReadonlyMap<string, string>): string | null {
  if (mapping.size === 0) return model;
  const seen = new Set([model]);
  for (let name = model; ; ) {
    const next = mapping.get(name);
    if (next === undefined || next === "" || next === name) return name;
    if (seen.has(next)) return null;
    seen.add(next);
    name = next;
  }
}
