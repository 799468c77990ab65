/** What a builder decided about an agent, in the words of this service. Versions keep it whole. */
export interface AgentDefinition {
  readonly templateId: number;
  readonly name: string;
  readonly description: string;
  readonly typeId: number;
  readonly regionId: number;
  readonly timeZoneId: number;
  readonly industryId: number;
  readonly languageId: number;
  readonly toneId: number;
  readonly iconId: number;
  readonly adminId: number | null;
  /** What the template tells the model; part of the composed prompt. */
  readonly instructions: string | null;
  /** Replaces the composed prompt. */
  readonly systemPrompt: string | null;
  readonly greeting: string;
  readonly knowledgeBaseId: number | null;
}
