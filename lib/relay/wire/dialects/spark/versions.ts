/** A version of Spark: where it is asked, and what it can do. */
export type SparkVersion = {
  path: string;
  domain: string;
  /** Calls functions. */
  calls: boolean;
  /** Takes system messages. */
  takesSystem: boolean;
  /** Thinks before it answers. */
  thinks: boolean;
};

const version = (path: string, domain: string, can: Partial<SparkVersion> = {}): SparkVersion => ({
  ...{ path, domain, calls: false, takesSystem: false, thinks: false },
  ...can,
});
const full = { calls: true, takesSystem: true };
const thinking = { takesSystem: true, thinks: true };

/** By every name that they have: version, domain and model. */
const VERSIONS: ReadonlyMap<string, SparkVersion> = new Map([
  ...named(version("/v1.1/chat", "lite"), "v1.1", "lite"),
  ...named(version("/v2.1/chat", "generalv2"), "v2.1", "generalv2"),
  ...named(version("/v3.1/chat", "generalv3", { calls: true }), "v3.1", "generalv3", "pro"),
  ...named(version("/chat/pro-128k", "pro-128k", { calls: true }), "pro-128k"),
  ...named(version("/v3.5/chat", "generalv3.5", full), "v3.5", "generalv3.5", "max"),
  ...named(version("/chat/max-32k", "max-32k", full), "max-32k"),
  ...named(version("/v4.0/chat", "4.0Ultra", full), "v4.0", "4.0ultra", "ultra"),
  ...named(version("/v1/x1", "spark-x", thinking), "x1", "x1.5"),
  ...named(version("/x2", "spark-x", thinking), "x2", "x"),
]);

const DEFAULT = version("/v1.1/chat", "lite");

function named(one: SparkVersion, ...names: string[]): [string, SparkVersion][] {
  return names.map((name) => [name, one]);
}

/** What follows SparkDesk- or spark-, else the whole. */
const bare = (name: string): string =>
  name
    .trim()
    .replace(/^spark(desk)?-/i, "")
    .toLowerCase();

/** The version that the model's name says, else the one of the channel's extra field, else the first. */
export function versionOf(model: string, other: string): SparkVersion {
  const known =
    VERSIONS.get(bare(model)) ?? numbered(bare(model)) ?? VERSIONS.get(bare(other)) ?? numbered(bare(other));
  if (known) return known;
  const given = other.trim();
  return given === "" ? DEFAULT : version(`/${encodeURIComponent(given)}/chat`, given, full);
}

/** One that is not known yet. */
function numbered(name: string): SparkVersion | undefined {
  return /^v\d+(\.\d+)*$/.test(name) ? version(`/${name}/chat`, `general${name}`, full) : undefined;
}
