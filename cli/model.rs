//! `precedent model`.

use precedent_core::{Result, model::ModelView};
use precedent_engine::Casebook;
use precedent_index::embed::{ImportOptions, Pooling};

use crate::{
    Session,
    args::ModelCommand,
    index,
    output::{Output, bold, count, dim, plain, size},
};

/// A model in the catalog.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct Offer {
    name: String,
    repository: String,
    dimensions: usize,
    description: String,
}

pub async fn run(session: &Session, command: ModelCommand, output: &mut Output) -> Result<()> {
    let casebook = &session.casebook;
    match command {
        ModelCommand::List { catalog: true, json } => {
            let offers: Vec<Offer> = Casebook::catalog()
                .into_iter()
                .map(|e| Offer {
                    name: e.name,
                    repository: e.repository,
                    dimensions: e.dimensions,
                    description: e.description,
                })
                .collect();
            output.answer(&offers, &json, None, |output| {
                for offer in &offers {
                    let name = bold(format_args!("{:<42}", offer.name));
                    let (dimensions, repository) = (offer.dimensions, dim(&offer.repository));
                    output.line(format_args!("{name} {dimensions:>5}  {repository}"));
                }
            })
        }
        ModelCommand::List { catalog: false, json } => {
            let models = casebook.models().await?;
            output
                .answer(&models, &json, None, |output| models.iter().for_each(|m| print(m, output)))
        }
        ModelCommand::Install { name, switch } => {
            let model = casebook.install_model(&name, &session.task).await?;
            finish_install(session, &model, switch, output).await
        }
        ModelCommand::Import { path, name, pooling, prefix, switch } => {
            let pooling = pooling.map(|p| if p == "cls" { Pooling::Cls } else { Pooling::Mean });
            let options = ImportOptions { pooling, prefix };
            let model =
                casebook.import_model(&path, name.as_deref(), options, &session.task).await?;
            finish_install(session, &model, switch, output).await
        }
        ModelCommand::Use { name, no_index } => {
            casebook.use_model(&name).await?;
            if !no_index {
                index::print_report(session, &casebook.update_index(&session.task).await?);
            }
            let is_pending = no_index || casebook.status().await?.model.next.is_some();
            session.say(&match is_pending {
                true => format!(
                    "{name} will be used once its semantic index is built; run `precedent index`."
                ),
                false => format!("Now using {name}."),
            });
            Ok(())
        }
        ModelCommand::Remove { name } => {
            casebook.remove_model(&name).await?;
            session.say(&format!("Removed {name}."));
            Ok(())
        }
    }
}

async fn finish_install(
    session: &Session,
    model: &ModelView,
    switch: bool,
    output: &mut Output,
) -> Result<()> {
    print(model, output);
    if !switch {
        session.say(&format!("To switch to it: precedent model use {}", model.name));
        return Ok(());
    }
    session.casebook.use_model(&model.name).await?;
    index::print_report(session, &session.casebook.update_index(&session.task).await?);
    Ok(())
}

fn print(model: &ModelView, output: &mut Output) {
    let state = match (model.answers, model.next) {
        (true, _) => "in use",
        (_, true) => "building its semantic index",
        _ => "",
    };
    output.line(format_args!("{}  {state}", bold(&model.name)));
    if let Some(problem) = &model.problem {
        output.line(format_args!("  {}", plain(problem)));
        return;
    }
    let bytes = model.bytes.map(|b| format!("{}, ", size(b))).unwrap_or_default();
    output.detail(format_args!(
        "{bytes}{} dimensions; {} passages in {}",
        model.dimensions.unwrap_or_default(),
        count(model.embedded),
        size(model.vector_bytes)
    ));
}
