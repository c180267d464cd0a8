import { ChannelForm } from "@/components/channel/channel-form";
import { ChannelTestPanel } from "@/components/channel/channel-test-panel";
import { getChannel } from "@/lib/channel/queries";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { listModelsByType } from "@/lib/model/queries";
import { createChannels, testChannel, updateChannel } from "./actions";

type ChannelPanelsProps = {
  ctx: ServiceContext;
  groups: string[];
  edit: number | null;
  create: boolean;
  test: number | null;
};

/** The drawer or the test panel that the URL asks for. */
export async function ChannelPanels({ ctx, groups, edit, create, test }: ChannelPanelsProps) {
  const id = test ?? edit;
  if (id === null && !create) return null;
  const channel = id === null ? null : await getChannel(ctx, id).catch(missing);
  if (id !== null && !channel) return null;
  if (test !== null && channel) return <ChannelTestPanel key={test} channel={channel} testChannel={testChannel} />;
  return (
    <ChannelForm
      key={id ?? "create"}
      channel={channel}
      groups={groups}
      typeModels={listModelsByType(ctx)}
      createChannels={createChannels}
      updateChannel={updateChannel}
    />
  );
}

function missing(error: unknown): null {
  if (error instanceof AppError && error.code === "not_found") return null;
  throw error;
}
