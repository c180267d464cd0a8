import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { getSite } from "@/app/site";
import { Playground } from "@/components/playground/playground";
import { Texts } from "@/components/shell/texts";
import { readCapture } from "@/lib/capture/queries";
import { type Replay, toReplay } from "@/lib/capture/replay";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { listPlaygroundChoices } from "@/lib/playground/queries";
import { getSignedIn } from "../signed-in";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("playground"))("title") };
}

export default async function PlaygroundPage({ searchParams }: PageProps<"/playground">) {
  const [ctx, params, { serverAddress }] = await Promise.all([getSignedIn(), searchParams, getSite()]);
  const choices = await listPlaygroundChoices(ctx);
  const replay = await findReplay(ctx, Number(single(params.capture)));
  const wanted = { group: single(params.group), model: single(params.model) };
  return (
    <Texts of={["drawing", "playground", "token.badge"]}>
      <Playground
        key={`${wanted.group} ${wanted.model} ${params.capture}`}
        choices={choices}
        userId={ctx.actor.id}
        baseUrl={`${serverAddress}/v1`}
        wanted={wanted}
        replay={replay}
      />
    </Texts>
  );
}

/** The captured request in the URL; null = there is none that the user may read, or it is no conversation. */
async function findReplay(ctx: ServiceContext, id: number): Promise<Replay | null> {
  if (!Number.isSafeInteger(id) || id <= 0) return null;
  const capture = await readCapture(ctx, { id }).catch((error: unknown) => {
    if (error instanceof AppError) return null;
    throw error;
  });
  return capture && toReplay(capture, capture.modelName);
}

function single(value: string | string[] | undefined): string | null {
  return typeof value === "string" ? value : null;
}
