/** A question and its answer as a prompt may quote them. */
export interface PastTurn {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
}
