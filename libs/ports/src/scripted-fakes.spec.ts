import { describeEmbeddings, describeFileStore, describeVectorStore, ScriptedEmbeddings, ScriptedFileStore, ScriptedVectorStore } from '.';

describeEmbeddings('the scripted fake', () => new ScriptedEmbeddings());
describeFileStore('the scripted fake', () => new ScriptedFileStore());
describeVectorStore('the scripted fake', () => new ScriptedVectorStore());
