import { OPERATIONS } from "@/lib/operations";
import { type ChannelTypeFacts, channelTypes, type OtherOperation } from "@/lib/provider-catalogue";
import type { ChannelTypeName } from "@/lib/provider-catalogue/channel-type-ids";
import { bearer } from "../auth";
import type { Behaviour, Served, Serving, UpstreamRow } from "../channel-type";
import { openaiModels } from "../model-lists";
import { samePath } from "../urls";
import { anthropicTypes } from "./anthropic";
import { cloudTypes } from "./clouds";
import { googleTypes } from "./google";
import { modelMakerTypes } from "./model-makers";
import { openaiTypes } from "./openai";
import { ownFormatTypes } from "./own-formats";
import { serviceTypes } from "./services";

/** How the upstreams of each type are asked. */
export const behaviours: Readonly<Record<ChannelTypeName, Behaviour>> = {
  ...openaiTypes,
  ...anthropicTypes,
  ...googleTypes,
  ...modelMakerTypes,
  ...cloudTypes,
  ...ownFormatTypes,
  ...serviceTypes,
};

/** What the catalogue says of a type, and how its upstreams are asked; what is not given is as at OpenAI. */
function toRow({ dialects, serves, ...facts }: ChannelTypeFacts, { serving, ...behaviour }: Behaviour): UpstreamRow {
  return {
    ...facts,
    dialect: dialects[0] ?? null,
    url: samePath,
    auth: bearer,
    quirks: {},
    balance: null,
    modelList: openaiModels("/v1/models"),
    ...behaviour,
    serves: servedBy(serves, serving),
  };
}

function servedBy(formats: ChannelTypeFacts["serves"], serving: Behaviour["serving"]): Served {
  const served: Partial<Record<OtherOperation, Serving>> = {};
  for (const operation of OPERATIONS) {
    const format = operation === "chat" ? undefined : formats[operation];
    if (operation !== "chat" && format !== undefined) served[operation] = { format, ...serving?.[operation] };
  }
  return served;
}

/** Channel types by number (contract §6.1, §6.2). Stored channels may have a type without a row. */
export const rows: ReadonlyMap<number, UpstreamRow> = new Map(
  [...channelTypes].map(([id, facts]) => [id, toRow(facts, behaviours[facts.key])]),
);
