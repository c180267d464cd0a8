import type { Page } from "@playwright/test";

export type Registration = { username: string; password: string; password2?: string };

export class RegisterPage {
  readonly page: Page;
  readonly server: string;

  constructor(page: Page, server: string) {
    this.page = page;
    this.server = server;
  }

  async open(query = ""): Promise<void> {
    await this.page.goto(`${this.server}/register${query}`);
  }

  field(name: "username" | "password" | "password2" | "email" | "code") {
    return this.page.locator(`input[name="${name}"]`);
  }

  get submit() {
    return this.page.locator('form button[type="submit"]');
  }

  async fill({ username, password, password2 = password }: Registration): Promise<void> {
    await this.field("username").fill(username);
    await this.field("password").fill(password);
    await this.field("password2").fill(password2);
  }
}
