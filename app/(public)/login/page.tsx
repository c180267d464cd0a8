import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { LoginForm } from "@/components/auth/login-form";
import { getActor } from "@/lib/auth/session";
import { signIn } from "./actions";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("login"))("title") };
}

export default async function LoginPage({ searchParams }: PageProps<"/login">) {
  const { expired } = await searchParams;
  const [actor, t] = await Promise.all([getActor(), getTranslations("login")]);
  return (
    <div className="mx-auto w-full max-w-108 px-4 py-12 sm:py-20">
      <section className="rounded-lg border bg-surface p-6 shadow-sm sm:p-8" aria-labelledby="login-title">
        <h1 id="login-title" className="font-semibold text-xl tracking-tight">
          {t("title")}
        </h1>
        <p className="mt-1 mb-6 text-muted-foreground">{t("subtitle")}</p>
        <LoginForm signIn={signIn} expired={expired === "true"} signedIn={actor.type === "user"} />
      </section>
    </div>
  );
}
