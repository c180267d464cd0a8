import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { getSite } from "@/app/site";
import { Playground } from "@/components/playground/playground";
import { listPlaygroundChoices } from "@/lib/playground/queries";
import { getSignedIn } from "../signed-in";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("playground"))("title") };
}

export default async function PlaygroundPage({ searchParams }: PageProps<"/playground">) {
  const [ctx, params, { serverAddress }] = await Promise.all([getSignedIn(), searchParams, getSite()]);
  const choices = await listPlaygroundChoices(ctx);
  const wanted = { group: single(params.group), model: single(params.model) };
  return (
    <Playground
      key={`${wanted.group} ${wanted.model}`}
      choices={choices}
      userId={ctx.actor.id}
      baseUrl={`${serverAddress}/v1`}
      wanted={wanted}
    />
  );
}

function single(value: string | string[] | undefined): string | null {
  return typeof value === "string" ? value : null;
}
