import { ChannelForm } from "@/components/channel/channel-form";
import { ChannelTestPanel } from "@/components/channel/channel-test-panel";
import { TagForm } from "@/components/channel/tag-form";
import { listChannelKeys } from "@/lib/channel/key-queries";
import { getChannel } from "@/lib/channel/queries";
import { getTag } from "@/lib/channel/tag-queries";
import { editorFieldsByType } from "@/lib/channel/type-views";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { listKnownModels, listModelsByType } from "@/lib/model/queries";
import { loadOptions } from "@/lib/option/queries";
import { usualTimeLimits } from "@/lib/option/time-limits";
import { operationsToTest } from "@/lib/provider-catalogue/channel-tests";

type ChannelPanelsProps = {
  ctx: ServiceContext;
  groups: string[];
  edit: number | null;
  create: boolean;
  test: number | null;
  editTag: string | null;
};

export async function ChannelPanels({ ctx, groups, edit, create, test, editTag }: ChannelPanelsProps) {
  if (editTag !== null) return <TagPanel ctx={ctx} groups={groups} tag={editTag} />;
  const id = test ?? edit;
  if (id === null && !create) return null;
  const channel = id === null ? null : await getChannel(ctx, id).catch(missing);
  if (id !== null && !channel) return null;
  if (test !== null && channel) {
    const operations = operationsToTest(channel.type);
    return <ChannelTestPanel key={test} channel={channel} operations={operations} />;
  }
  const [allModels, keys, options] = await Promise.all([
    listKnownModels(ctx),
    id === null ? [] : listChannelKeys(ctx, id),
    loadOptions(ctx.db),
  ]);
  return (
    <ChannelForm
      key={id ?? "create"}
      channel={channel}
      keys={keys}
      groups={groups}
      typeModels={listModelsByType(ctx)}
      typeFields={editorFieldsByType()}
      allModels={allModels}
      timeLimits={usualTimeLimits(options)}
      isRoot={requireRole(ctx, ROLE.admin).role >= ROLE.root}
    />
  );
}

async function TagPanel({ ctx, groups, tag }: { ctx: ServiceContext; groups: string[]; tag: string }) {
  const [common, models] = await Promise.all([getTag(ctx, tag), listKnownModels(ctx)]);
  if (!common) return null;
  return <TagForm key={tag} common={common} groups={groups} models={models} />;
}

function missing(error: unknown): null {
  if (error instanceof AppError && error.code === "not_found") return null;
  throw error;
}
