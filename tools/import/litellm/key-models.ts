import type { SourceRow } from "../types";
import { listOf } from "./tables";

const ALL = "all-proxy-models";
const OF_TEAM = "all-team-models";
const NONE = "no-default-models";

type Known = {
  modelsOfOwners: ReadonlyMap<string, readonly string[]>;
  accessGroups: ReadonlyMap<string, readonly string[]>;
  /** The identity of the team or user. */
  owner: string;
};

/** Which models a key may use: [] = all; null = nothing that can be said here, so the key has to be off. */
export function readModels(
  row: SourceRow,
  { modelsOfOwners, accessGroups, owner }: Known,
  change: (what: string) => void,
): string[] | null {
  const own = listOf(row, "models");
  const ofOwner = modelsOfOwners.get(owner) ?? [];
  const listed = own.length === 0 || own.includes(OF_TEAM) ? ofOwner : own;
  if (listed.length === 0 || listed.includes(ALL)) return [];
  const named = listed
    .filter((name) => name !== NONE && name !== OF_TEAM)
    .flatMap((name) => accessGroups.get(name) ?? [name]);
  const models = [...new Set(named)].filter((name) => !/[*,]/.test(name));
  if (models.length < new Set(named).size) change("wildcards of models do not exist here: left out");
  if (models.length > 0) return models;
  change("none of its models can be named here: the key is disabled");
  return null;
}
