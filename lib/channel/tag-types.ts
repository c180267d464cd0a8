import type { Channel } from "./types";

/** The members of a tag as one row. */
export type TagSummary = {
  tag: string;
  members: number;
  /** The ids of all members, so that they can be selected together. */
  ids: number[];
  /** How many of the members are enabled. */
  enabled: number;
  /** Comma list of the groups of all members. */
  group: string;
  usedQuota: number;
  /** Mean of the tested members in ms; 0 when none was tested. */
  responseTime: number;
  /** Null when the members differ. */
  priority: number | null;
  weight: number | null;
};

/** A row of tag mode: a tag, a member shown below its tag, or a channel without a tag. */
export type TagRow = { kind: "tag"; summary: TagSummary } | { kind: "channel"; channel: Channel; isMember: boolean };

/** Members shown below a tag; the others are reached by filtering by tag. */
export const TAG_MEMBERS_SHOWN = 100;

/** What the members of a tag have in common, as initial values for the editor; null where they differ. */
export type TagCommon = {
  tag: string;
  members: number;
  models: string | null;
  group: string | null;
  modelMapping: string | null;
};
