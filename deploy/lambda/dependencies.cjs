// Leaves out of a resource's DependsOn what its properties refer to, as osls writes for every role: cfn-lint
// warns of each (W3005), and what takes warnings for errors refuses the template.
module.exports = class {
  constructor({ service }) {
    this.hooks = {
      "after:aws:package:finalize:mergeCustomProviderResources": () => {
        for (const resource of Object.values(service.provider.compiledCloudFormationTemplate.Resources)) {
          const properties = JSON.stringify(resource.Properties);
          const isReferredTo = (name) =>
            properties.includes(`{"Ref":"${name}"}`) || properties.includes(`{"Fn::GetAtt":["${name}",`);
          const others = [resource.DependsOn ?? []].flat().filter((name) => !isReferredTo(name));
          if (others.length > 0) resource.DependsOn = others;
          else delete resource.DependsOn;
        }
      },
    };
  }
};
